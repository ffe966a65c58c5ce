// A driver of Embree: it reads commands from standard input, one a line, and writes one line for each, the nanoseconds
// of the work, and after an answers command numbers in binary. The objects are boxes, as user geometry; WHERE is flat,
// a scene of all boxes, or instances, a scene of instances of parts.
//
//   flat FILE           a scene of the boxes of a file: six float32 each, min and max
//   part FILE           a part, of the boxes of a file
//   instances FILE      a scene of instances: the uint32 of a part and three rows of four float32 each, of a similarity
//   rays FILE           rays: seven float32 each: origin, direction, length
//   points FILE         points: three float32 each
//   first WHERE, firstanswers WHERE     the first hit of all rays; answers: its time, or infinity
//   near WHERE K, nearanswers WHERE K   the K nearest boxes of all points; answers: their distances
#include <embree3/rtcore.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iostream>
#include <limits>
#include <string>
#include <vector>

struct Box { float lo[3], hi[3]; };
struct Instance { uint32_t part; float rows[12]; };

static const float infinity = std::numeric_limits<float>::infinity();

template <class T>
static std::vector<T> load(const std::string& path) {
    std::ifstream in(path, std::ios::binary | std::ios::ate);
    if (!in) throw std::runtime_error("cannot read " + path);
    std::vector<T> all(size_t(in.tellg()) / sizeof(T));
    in.seekg(0);
    in.read(reinterpret_cast<char*>(all.data()), std::streamsize(sizeof(T) * all.size()));
    return all;
}

// Boxes is a scene of boxes, which must not move.
struct Boxes {
    std::vector<Box> list;
    RTCScene scene = nullptr;
};

static void bounds(const RTCBoundsFunctionArguments* args) {
    const Box& b = static_cast<const Boxes*>(args->geometryUserPtr)->list[args->primID];
    RTCBounds& o = *args->bounds_o;
    o.lower_x = b.lo[0], o.lower_y = b.lo[1], o.lower_z = b.lo[2];
    o.upper_x = b.hi[0], o.upper_y = b.hi[1], o.upper_z = b.hi[2];
}

static void intersect(const RTCIntersectFunctionNArguments* args) {
    if (!args->valid[0]) return;
    const Box& b = static_cast<const Boxes*>(args->geometryUserPtr)->list[args->primID];
    auto* rh = reinterpret_cast<RTCRayHit*>(args->rayhit);
    const float from[3] = {rh->ray.org_x, rh->ray.org_y, rh->ray.org_z};
    const float way[3] = {rh->ray.dir_x, rh->ray.dir_y, rh->ray.dir_z};
    float enter = rh->ray.tnear, leave = rh->ray.tfar;
    for (int a = 0; a < 3; a++) {
        if (way[a] == 0) {
            if (from[a] < b.lo[a] || from[a] > b.hi[a]) return;
            continue;
        }
        const float inverse = 1 / way[a], x = (b.lo[a] - from[a]) * inverse, y = (b.hi[a] - from[a]) * inverse;
        enter = std::max(enter, std::min(x, y));
        leave = std::min(leave, std::max(x, y));
    }
    if (!(enter <= leave)) return;
    rh->ray.tfar = enter;
    rh->hit.primID = args->primID;
    rh->hit.geomID = args->geomID;
    rh->hit.instID[0] = args->context->instID[0];
}

static void commit(RTCDevice device, Boxes& b) {
    if (b.scene) rtcReleaseScene(b.scene);
    b.scene = rtcNewScene(device);
    RTCGeometry g = rtcNewGeometry(device, RTC_GEOMETRY_TYPE_USER);
    rtcSetGeometryUserPrimitiveCount(g, unsigned(b.list.size()));
    rtcSetGeometryUserData(g, &b);
    rtcSetGeometryBoundsFunction(g, bounds, nullptr);
    rtcSetGeometryIntersectFunction(g, intersect);
    rtcCommitGeometry(g);
    rtcAttachGeometry(b.scene, g);
    rtcReleaseGeometry(g);
    rtcCommitScene(b.scene);
}

// Search is a search for the nearest boxes of a point.
struct Search {
    const Boxes* flat;                      // or the parts of the instances:
    const std::vector<Boxes*>* parts;
    const std::vector<Instance>* instances;
    float* best;                            // k distances, ascending
    size_t k;
};

static float clamp(float x, float lo, float hi) { return std::min(std::max(x, lo), hi); }

// between returns the distance of a point to a box.
static float between(const Box& b, const float p[3]) {
    float sum = 0;
    for (int a = 0; a < 3; a++) {
        const float gap = p[a] - clamp(p[a], b.lo[a], b.hi[a]);
        sum += gap * gap;
    }
    return std::sqrt(sum);
}

static bool reach(RTCPointQueryFunctionArguments* args) {
    auto& s = *static_cast<Search*>(args->userPtr);
    RTCPointQuery& q = *args->query;
    const float world[3] = {q.x, q.y, q.z};
    float distance;
    if (const unsigned depth = args->context->instStackSize; depth == 0) {
        distance = between(s.flat->list[args->primID], world);
    } else {
        const unsigned id = args->context->instID[depth - 1];
        const Box& b = (*s.parts)[(*s.instances)[id].part]->list[args->primID];
        const float* m = args->context->world2inst[depth - 1];
        float local[3];
        for (int a = 0; a < 3; a++) local[a] = m[a] * q.x + m[4 + a] * q.y + m[8 + a] * q.z + m[12 + a];
        // It is 0 for some similarities, by rounding; all matrices are similarities here.
        const float scale = args->similarityScale > 0 ? args->similarityScale : std::sqrt(m[0] * m[0] + m[1] * m[1] + m[2] * m[2]);
        distance = between(b, local) / scale;
    }
    if (!(distance < s.best[s.k - 1])) return false;
    size_t at = s.k - 1;
    for (; at > 0 && s.best[at - 1] > distance; at--) s.best[at] = s.best[at - 1];
    s.best[at] = distance;
    if (!(s.best[s.k - 1] < q.radius)) return false;
    q.radius = s.best[s.k - 1];
    return true;
}

int main() try {
    RTCDevice device = rtcNewDevice("threads=1");
    if (!device) throw std::runtime_error("no device");
    Boxes flat;
    std::vector<Boxes*> parts;
    std::vector<Instance> instances;
    RTCScene top = nullptr;
    std::vector<float> rays, points, out;
    for (std::string command, word; std::cin >> command >> word;) {
        size_t k = 0;
        const bool near = command.rfind("near", 0) == 0, first = command.rfind("first", 0) == 0;
        if (near) std::cin >> k;
        if (command == "flat") flat.list = load<Box>(word);
        if (command == "part") parts.push_back(new Boxes{load<Box>(word)});
        if (command == "instances") instances = load<Instance>(word);
        const auto start = std::chrono::steady_clock::now();
        const RTCScene scene = word == "flat" ? flat.scene : top;
        if (command == "flat") {
            commit(device, flat);
        } else if (command == "part") {
            commit(device, *parts.back());
        } else if (command == "instances") {
            top = rtcNewScene(device);
            for (size_t i = 0; i < instances.size(); i++) {
                RTCGeometry g = rtcNewGeometry(device, RTC_GEOMETRY_TYPE_INSTANCE);
                rtcSetGeometryInstancedScene(g, parts[instances[i].part]->scene);
                rtcSetGeometryTransform(g, 0, RTC_FORMAT_FLOAT3X4_ROW_MAJOR, instances[i].rows);
                rtcCommitGeometry(g);
                rtcAttachGeometryByID(top, g, unsigned(i));
                rtcReleaseGeometry(g);
            }
            rtcCommitScene(top);
        } else if (command == "rays") {
            rays = load<float>(word);
        } else if (command == "points") {
            points = load<float>(word);
        } else if (first) {
            out.resize(rays.size() / 7);
            for (size_t i = 0; i < out.size(); i++) {
                const float* r = &rays[7 * i];
                RTCIntersectContext context;
                rtcInitIntersectContext(&context);
                RTCRayHit rh;
                rh.ray = {r[0], r[1], r[2], 0, r[3], r[4], r[5], 0, r[6], ~0u, 0, 0};
                rh.hit.geomID = rh.hit.primID = rh.hit.instID[0] = RTC_INVALID_GEOMETRY_ID;
                rtcIntersect1(scene, &context, &rh);
                out[i] = rh.hit.geomID == RTC_INVALID_GEOMETRY_ID ? infinity : rh.ray.tfar;
            }
        } else if (near) {
            out.assign(points.size() / 3 * k, infinity);
            Search s{&flat, &parts, &instances, nullptr, k};
            for (size_t i = 0; i < points.size() / 3; i++) {
                RTCPointQueryContext context;
                rtcInitPointQueryContext(&context);
                RTCPointQuery q{points[3 * i], points[3 * i + 1], points[3 * i + 2], 0, infinity};
                s.best = &out[i * k];
                rtcPointQuery(scene, &q, &context, reach, &s);
            }
        } else {
            throw std::runtime_error("unknown command " + command);
        }
        const auto took = std::chrono::steady_clock::now() - start;
        if (const RTCError wrong = rtcGetDeviceError(device)) throw std::runtime_error("error " + std::to_string(wrong) + " in " + command);
        std::cout << std::chrono::duration_cast<std::chrono::nanoseconds>(took).count() << "\n";
        if (command == "firstanswers" || command == "nearanswers")
            std::cout.write(reinterpret_cast<const char*>(out.data()), std::streamsize(4 * out.size()));
        std::cout.flush();
    }
} catch (const std::exception& e) {
    std::cerr << "embree: " << e.what() << std::endl;
    return 1;
}
