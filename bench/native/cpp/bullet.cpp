// A driver of Bullet: of btDbvt, a dynamic tree of boxes, and of btDbvtBroadphase, which has two and the pairs.
//
//   build          inserts all objects and optimizes the tree from the top down
//   insert         inserts them one by one
//   remove         removes the objects of the moves
//   find boxes     the objects that intersect each window
//   find frusta    the objects that collideKDOP finds
//   find rays      the objects that each ray hits
//   first          the time of the first hit of each ray, or infinity: the least of all hits, which are not in order
//   pairs          the pairs of overlapping objects
//   live           a broad phase of all objects, with its pairs
//   move           moves objects of the broad phase
//   update         updates its pairs
//   tracked        its pairs that overlap: others overlap with their margins
//   look boxes, look frusta   the same as find, in the broad phase
#include <BulletCollision/BroadphaseCollision/btDbvtBroadphase.h>

#include "driver.hpp"

static btVector3 vector(const float x[3]) { return btVector3(x[0], x[1], x[2]); }
static btDbvtVolume volume(const Box& b) { return btDbvtVolume::FromMM(vector(b.lo), vector(b.hi)); }
static void* data(uint32_t id) { return reinterpret_cast<void*>(uintptr_t(id)); }
static uint32_t number(const void* data) { return uint32_t(reinterpret_cast<uintptr_t>(data)); }

// Collect appends the IDs of leaves.
struct Collect : btDbvt::ICollide {
    std::vector<uint32_t>& ids;
    explicit Collect(std::vector<uint32_t>& ids) : ids(ids) {}
    void Process(const btDbvtNode* leaf) override { ids.push_back(number(leaf->data)); }
    void Process(const btDbvtNode* a, const btDbvtNode* b) override {
        const uint32_t x = number(a->data), y = number(b->data);
        ids.push_back(std::min(x, y)), ids.push_back(std::max(x, y));
    }
};

// Precise appends the IDs of proxies of a broad phase that pass a test of their boxes: leaves have margins.
template <class Test> struct Precise : btDbvt::ICollide {
    std::vector<uint32_t>& ids;
    Test test;
    Precise(std::vector<uint32_t>& ids, Test test) : ids(ids), test(test) {}
    void Process(const btDbvtNode* leaf) override {
        const auto* proxy = static_cast<const btDbvtProxy*>(leaf->data);
        const btDbvtVolume exact = btDbvtVolume::FromMM(proxy->m_aabbMin, proxy->m_aabbMax);
        if (test(exact)) ids.push_back(number(proxy->m_clientObject));
    }
};

// First keeps the least time of all hits of a ray.
struct First : btDbvt::ICollide {
    const std::vector<Box>& boxes;
    const Ray& ray;
    float least = infinity;
    First(const std::vector<Box>& boxes, const Ray& ray) : boxes(boxes), ray(ray) {}
    void Process(const btDbvtNode* leaf) override {
        least = std::min(least, enters(boxes[number(leaf->data)], ray.from, ray.way, ray.length));
    }
};

// Planes are those of a frustum.
struct Planes {
    btVector3 normals[6];
    btScalar offsets[6];
    int signs[6];
    explicit Planes(const Frustum& f) {
        for (int i = 0; i < 6; i++) {
            const float* p = f.planes[i];
            normals[i] = vector(p), offsets[i] = p[3];
            signs[i] = (p[0] >= 0 ? 1 : 0) + (p[1] >= 0 ? 2 : 0) + (p[2] >= 0 ? 4 : 0);
        }
    }
    bool admit(const btDbvtVolume& box) const {
        for (int i = 0; i < 6; i++) {
            if (box.Classify(normals[i], offsets[i], signs[i]) < 0) return false;
        }
        return true;
    }
};

int main() {
    Driver d;
    std::unique_ptr<btDbvt> tree;
    std::unique_ptr<btDbvtBroadphase> phase;
    std::vector<btDbvtNode*> leaves;
    std::vector<btBroadphaseProxy*> proxies;
    btAlignedObjectArray<const btDbvtNode*> stack;
    auto insert = [&](std::istream&) {
        tree.reset(new btDbvt);
        leaves.clear();
        for (uint32_t i = 0; i < d.boxes.size(); i++) leaves.push_back(tree->insert(volume(d.boxes[i]), data(i)));
    };
    auto cast = [&](const Ray& r, btDbvt::ICollide& policy) {
        btVector3 way = vector(r.way), inverse;
        unsigned signs[3];
        for (int a = 0; a < 3; a++) {
            inverse[a] = way[a] == 0 ? btScalar(BT_LARGE_FLOAT) : 1 / way[a];
            signs[a] = inverse[a] < 0;
        }
        const btVector3 from = vector(r.from), none(0, 0, 0);
        tree->rayTestInternal(tree->m_root, from, from + way * r.length, inverse, signs, r.length, none, none, stack, policy);
    };
    d.commands["insert"] = insert;
    d.commands["build"] = [&](std::istream& line) {
        insert(line);
        tree->optimizeTopDown();
    };
    d.commands["remove"] = [&](std::istream&) {
        for (const Move& m : d.moves) tree->remove(leaves[m.id]);
    };
    d.commands["find"] = [&](std::istream& line) {
        std::string kind;
        line >> kind;
        Collect collect(d.found);
        if (kind == "boxes") d.each(d.windows, [&](const Box& b) { tree->collideTVNoStackAlloc(tree->m_root, volume(b), stack, collect); });
        if (kind == "frusta") d.each(d.frusta, [&](const Frustum& f) {
            const Planes p(f);
            btDbvt::collideKDOP(tree->m_root, p.normals, p.offsets, 6, collect);
        });
        if (kind == "rays") d.each(d.rays, [&](const Ray& r) { cast(r, collect); });
    };
    d.commands["first"] = [&](std::istream&) {
        d.each(d.rays, [&](const Ray& r) {
            First first(d.boxes, r);
            cast(r, first);
            d.found.push_back(bits(first.least));
        });
    };
    d.commands["pairs"] = [&](std::istream&) {
        Collect collect(d.found);
        d.each(std::vector<int>{0}, [&](int) { tree->collideTT(tree->m_root, tree->m_root, collect); });
    };
    d.commands["live"] = [&](std::istream&) {
        tree.reset();
        phase.reset(new btDbvtBroadphase);
        phase->m_deferedcollide = true; // pairs are found by calculateOverlappingPairs
        proxies.clear();
        for (uint32_t i = 0; i < d.boxes.size(); i++) {
            const Box& b = d.boxes[i];
            proxies.push_back(phase->createProxy(vector(b.lo), vector(b.hi), 0, data(i), 1, 1, nullptr));
        }
        phase->optimize();
        phase->calculateOverlappingPairs(nullptr);
    };
    d.commands["move"] = [&](std::istream&) {
        for (const Move& m : d.moves) phase->setAabb(proxies[m.id], vector(m.box.lo), vector(m.box.hi), nullptr);
    };
    d.commands["update"] = [&](std::istream&) { phase->calculateOverlappingPairs(nullptr); };
    d.commands["tracked"] = [&](std::istream&) {
        const btBroadphasePairArray& pairs = phase->getOverlappingPairCache()->getOverlappingPairArray();
        d.each(std::vector<int>{0}, [&](int) {
            for (int i = 0; i < pairs.size(); i++) {
                const btBroadphaseProxy *a = pairs[i].m_pProxy0, *b = pairs[i].m_pProxy1;
                if (!TestAabbAgainstAabb2(a->m_aabbMin, a->m_aabbMax, b->m_aabbMin, b->m_aabbMax)) continue;
                const uint32_t x = number(a->m_clientObject), y = number(b->m_clientObject);
                d.found.push_back(std::min(x, y)), d.found.push_back(std::max(x, y));
            }
        });
    };
    d.commands["look"] = [&](std::istream& line) {
        std::string kind;
        line >> kind;
        if (kind == "boxes") d.each(d.windows, [&](const Box& b) {
            const btDbvtVolume window = volume(b);
            auto test = [&](const btDbvtVolume& box) { return Intersect(box, window); };
            Precise<decltype(test)> policy(d.found, test);
            for (btDbvt& set : phase->m_sets) set.collideTVNoStackAlloc(set.m_root, window, stack, policy);
        });
        if (kind == "frusta") d.each(d.frusta, [&](const Frustum& f) {
            const Planes p(f);
            auto test = [&](const btDbvtVolume& box) { return p.admit(box); };
            Precise<decltype(test)> policy(d.found, test);
            for (btDbvt& set : phase->m_sets) btDbvt::collideKDOP(set.m_root, p.normals, p.offsets, 6, policy);
        });
    };
    return d.run("bullet");
}
