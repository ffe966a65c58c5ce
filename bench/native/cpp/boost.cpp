// A driver of Boost.Geometry: its R-tree, of nodes of up to 16.
//
//   build          packs all objects
//   insert         inserts them one by one, with the quadratic split
//   remove         removes the objects of the moves
//   move           removes the objects of the moves and inserts them, or packs all again if more than half move
//   find boxes     the objects that intersect each window
//   find rays      the objects that each ray hits, as a segment
//   near K         the K nearest objects of each point: distances
//   pairs          the pairs of overlapping objects: a query for each object
#include <boost/geometry.hpp>
#include <boost/geometry/index/rtree.hpp>

#include "driver.hpp"

namespace bg = boost::geometry;
namespace bgi = boost::geometry::index;

using Spot = bg::model::point<float, 3, bg::cs::cartesian>;
using Cuboid = bg::model::box<Spot>;
using Segment = bg::model::segment<Spot>;
using Value = std::pair<Cuboid, uint32_t>;
using Tree = bgi::rtree<Value, bgi::quadratic<16>>;

static Spot spot(const float x[3]) { return Spot(x[0], x[1], x[2]); }
static Cuboid cuboid(const Box& b) { return Cuboid(spot(b.lo), spot(b.hi)); }

// Collect is an output iterator that appends the IDs of values.
struct Collect {
    std::vector<uint32_t>& ids;
    Collect& operator*() { return *this; }
    Collect& operator++() { return *this; }
    Collect& operator++(int) { return *this; }
    Collect& operator=(const Value& v) { ids.push_back(v.second); return *this; }
};

int main() {
    Driver d;
    Tree tree;
    std::vector<uint32_t> ids;
    auto pack = [&](std::istream&) {
        std::vector<Value> values;
        values.reserve(d.boxes.size());
        for (uint32_t i = 0; i < d.boxes.size(); i++) values.emplace_back(cuboid(d.boxes[i]), i);
        tree = Tree(values);
    };
    d.commands["build"] = pack;
    d.commands["insert"] = [&](std::istream&) {
        tree = Tree();
        for (uint32_t i = 0; i < d.boxes.size(); i++) tree.insert(Value(cuboid(d.boxes[i]), i));
    };
    d.commands["remove"] = [&](std::istream&) {
        for (const Move& m : d.moves) tree.remove(Value(cuboid(d.boxes[m.id]), m.id));
    };
    d.commands["move"] = [&](std::istream& line) {
        const bool all = d.moves.size() > d.boxes.size() / 2;
        for (const Move& m : d.moves) {
            if (!all) tree.remove(Value(cuboid(d.boxes[m.id]), m.id));
            if (!all) tree.insert(Value(cuboid(m.box), m.id));
            d.boxes[m.id] = m.box;
        }
        if (all) pack(line);
    };
    d.commands["find"] = [&](std::istream& line) {
        std::string kind;
        line >> kind;
        if (kind == "boxes") d.each(d.windows, [&](const Box& b) { tree.query(bgi::intersects(cuboid(b)), Collect{d.found}); });
        if (kind == "rays") d.each(d.rays, [&](const Ray& r) {
            float to[3];
            for (int a = 0; a < 3; a++) to[a] = r.from[a] + r.length * r.way[a];
            tree.query(bgi::intersects(Segment(spot(r.from), spot(to))), Collect{d.found});
        });
    };
    d.commands["near"] = [&](std::istream& line) {
        unsigned k;
        line >> k;
        d.each(d.points, [&](const Point& p) {
            ids.clear();
            tree.query(bgi::nearest(spot(p.x), k), Collect{ids});
            d.found.assign(ids.size(), bits(infinity));
            for (uint32_t id : ids) d.nearer(between(d.boxes[id], p.x));
        });
    };
    d.commands["pairs"] = [&](std::istream&) {
        d.each(std::vector<int>{0}, [&](int) {
            for (uint32_t i = 0; i < d.boxes.size(); i++) {
                ids.clear();
                tree.query(bgi::intersects(cuboid(d.boxes[i])), Collect{ids});
                for (uint32_t id : ids) {
                    if (id > i) d.found.push_back(i), d.found.push_back(id);
                }
            }
        });
    };
    return d.run("boost");
}
