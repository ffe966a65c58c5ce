// A driver of Embree. The objects are boxes, as user geometry.
//
//   build            a scene of all objects, for queries
//   live             the same for moves, which refit
//   move             moves the objects of the moves in it
//   part FILE        a part, of the boxes of a file
//   instances FILE   a scene of instances, for queries: the uint32 of a part and three rows of four float32 each, of a
//                    similarity
//   first            the first hit of each ray: its time, or infinity
//   near K           the K nearest objects of each point: their distances
//   pairs            the pairs of overlapping objects
#include <embree3/rtcore.h>

#include "driver.hpp"

struct Instance { uint32_t part; float rows[12]; };

static RTCDevice device;

// Boxes is a scene of boxes, which must not move in memory.
struct Boxes {
    std::vector<Box> own;
    std::vector<Box>* list = &own;
    RTCScene scene = nullptr;
    RTCGeometry geometry = nullptr;

    void commit(RTCBuildQuality quality);
    void clear() {
        if (scene) rtcReleaseScene(scene);
        scene = nullptr;
    }
};

static void bounds(const RTCBoundsFunctionArguments* args) {
    const Box& b = (*static_cast<const Boxes*>(args->geometryUserPtr)->list)[args->primID];
    RTCBounds& o = *args->bounds_o;
    o.lower_x = b.lo[0], o.lower_y = b.lo[1], o.lower_z = b.lo[2];
    o.upper_x = b.hi[0], o.upper_y = b.hi[1], o.upper_z = b.hi[2];
}

static void intersect(const RTCIntersectFunctionNArguments* args) {
    if (!args->valid[0]) return;
    const Box& b = (*static_cast<const Boxes*>(args->geometryUserPtr)->list)[args->primID];
    auto* rh = reinterpret_cast<RTCRayHit*>(args->rayhit);
    const float from[3] = {rh->ray.org_x, rh->ray.org_y, rh->ray.org_z};
    const float way[3] = {rh->ray.dir_x, rh->ray.dir_y, rh->ray.dir_z};
    const float enter = enters(b, from, way, rh->ray.tfar);
    if (enter == infinity) return;
    rh->ray.tfar = enter;
    rh->hit.primID = args->primID;
    rh->hit.geomID = args->geomID;
    rh->hit.instID[0] = args->context->instID[0];
}

// check throws the error of the device, if there is one.
static void check() {
    if (const RTCError wrong = rtcGetDeviceError(device)) throw std::runtime_error("error " + std::to_string(wrong));
}

void Boxes::commit(RTCBuildQuality quality) {
    clear();
    scene = rtcNewScene(device);
    if (quality == RTC_BUILD_QUALITY_REFIT) rtcSetSceneFlags(scene, RTC_SCENE_FLAG_DYNAMIC);
    geometry = rtcNewGeometry(device, RTC_GEOMETRY_TYPE_USER);
    rtcSetGeometryBuildQuality(geometry, quality);
    rtcSetGeometryUserPrimitiveCount(geometry, unsigned(list->size()));
    rtcSetGeometryUserData(geometry, this);
    rtcSetGeometryBoundsFunction(geometry, bounds, nullptr);
    rtcSetGeometryIntersectFunction(geometry, intersect);
    rtcCommitGeometry(geometry);
    rtcAttachGeometry(scene, geometry);
    rtcReleaseGeometry(geometry); // the scene holds it
    rtcCommitScene(scene);
    check();
}

// Search is a search for the nearest boxes of a point.
struct Search {
    Driver& d;
    const Boxes* flat; // or the parts of the instances:
    const std::vector<std::unique_ptr<Boxes>>& parts;
    const std::vector<Instance>& instances;
};

static bool reach(RTCPointQueryFunctionArguments* args) {
    auto& s = *static_cast<Search*>(args->userPtr);
    RTCPointQuery& q = *args->query;
    const float world[3] = {q.x, q.y, q.z};
    float distance;
    if (const unsigned depth = args->context->instStackSize; depth == 0) {
        distance = between((*s.flat->list)[args->primID], world);
    } else {
        const unsigned id = args->context->instID[depth - 1];
        const Box& b = s.parts[s.instances[id].part]->own[args->primID];
        const float* m = args->context->world2inst[depth - 1];
        float local[3];
        for (int a = 0; a < 3; a++) local[a] = m[a] * q.x + m[4 + a] * q.y + m[8 + a] * q.z + m[12 + a];
        // It is 0 for some similarities, by rounding; all matrices are similarities here.
        const float scale = args->similarityScale > 0 ? args->similarityScale : std::sqrt(m[0] * m[0] + m[1] * m[1] + m[2] * m[2]);
        distance = between(b, local) / scale;
    }
    if (!s.d.nearer(distance)) return false;
    float last;
    std::memcpy(&last, &s.d.found.back(), sizeof last);
    if (!(last < q.radius)) return false;
    q.radius = last;
    return true;
}

// collide receives pairs of boxes that overlap, each in both orders.
static void collide(void* user, RTCCollision* collisions, unsigned n) {
    auto& found = *static_cast<std::vector<uint32_t>*>(user);
    for (unsigned i = 0; i < n; i++) {
        const unsigned a = collisions[i].primID0, b = collisions[i].primID1;
        if (a < b) found.push_back(a), found.push_back(b);
    }
}

int main() {
    device = rtcNewDevice("threads=1");
    Driver d;
    Boxes flat, live;
    flat.list = live.list = &d.boxes;
    std::vector<std::unique_ptr<Boxes>> parts;
    std::vector<Instance> instances;
    RTCScene top = nullptr, scene = nullptr; // of the instances; of queries
    d.commands["build"] = [&](std::istream&) {
        flat.commit(RTC_BUILD_QUALITY_MEDIUM);
        scene = flat.scene;
    };
    d.commands["live"] = [&](std::istream&) {
        flat.clear();
        live.commit(RTC_BUILD_QUALITY_REFIT);
        scene = live.scene;
    };
    d.commands["move"] = [&](std::istream&) {
        for (const Move& m : d.moves) d.boxes[m.id] = m.box;
        rtcCommitGeometry(live.geometry);
        rtcCommitScene(live.scene);
        check();
    };
    d.commands["part"] = [&](std::istream& line) {
        parts.emplace_back(new Boxes);
        parts.back()->own = Driver::load<Box>(line);
        parts.back()->commit(RTC_BUILD_QUALITY_MEDIUM);
    };
    d.commands["instances"] = [&](std::istream& line) {
        instances = Driver::load<Instance>(line);
        scene = top = rtcNewScene(device);
        for (size_t i = 0; i < instances.size(); i++) {
            RTCGeometry g = rtcNewGeometry(device, RTC_GEOMETRY_TYPE_INSTANCE);
            rtcSetGeometryInstancedScene(g, parts[instances[i].part]->scene);
            rtcSetGeometryTransform(g, 0, RTC_FORMAT_FLOAT3X4_ROW_MAJOR, instances[i].rows);
            rtcCommitGeometry(g);
            rtcAttachGeometryByID(top, g, unsigned(i));
            rtcReleaseGeometry(g);
        }
        rtcCommitScene(top);
        check();
    };
    d.commands["first"] = [&](std::istream&) {
        d.each(d.rays, [&](const Ray& r) {
            RTCIntersectContext context;
            rtcInitIntersectContext(&context);
            RTCRayHit rh;
            rh.ray = {r.from[0], r.from[1], r.from[2], 0, r.way[0], r.way[1], r.way[2], 0, r.length, ~0u, 0, 0};
            rh.hit.geomID = rh.hit.primID = rh.hit.instID[0] = RTC_INVALID_GEOMETRY_ID;
            rtcIntersect1(scene, &context, &rh);
            d.found.push_back(bits(rh.hit.geomID == RTC_INVALID_GEOMETRY_ID ? infinity : rh.ray.tfar));
        });
        check();
    };
    d.commands["near"] = [&](std::istream& line) {
        size_t k;
        line >> k;
        Search s{d, &flat, parts, instances};
        d.each(d.points, [&](const Point& p) {
            d.found.assign(k, bits(infinity));
            RTCPointQueryContext context;
            rtcInitPointQueryContext(&context);
            RTCPointQuery q{p.x[0], p.x[1], p.x[2], 0, infinity};
            rtcPointQuery(scene, &q, &context, reach, &s);
        });
        check();
    };
    d.commands["pairs"] = [&](std::istream&) {
        d.each(std::vector<int>{0}, [&](int) { rtcCollide(flat.scene, flat.scene, collide, &d.found); });
        check();
    };
    return d.run("embree");
}
