// A driver of nanoflann.
//
//   cloud FILE          the points of the index: three float32 each
//   build FIRST N       a static index of points FIRST to FIRST + N - 1
//   dynamic N           a dynamic index of points 0 to N - 1
//   slide IN OUT        inserts the next IN points, removes the OUT oldest from the dynamic index
//   near K, dnear K     the K nearest points of all queries, in the static or the dynamic index: squared distances
//   radius R            the points at a distance below R of all queries, in the static index
#include <nanoflann.hpp>

#include "driver.hpp"

struct Cloud {
    std::vector<Point> points;
    size_t first = 0, n = 0;
    size_t kdtree_get_point_count() const { return n; }
    float kdtree_get_pt(size_t i, size_t axis) const { return points[first + i].x[axis]; }
    template <class Bounds> bool kdtree_get_bbox(Bounds&) const { return false; }
};

using Metric = nanoflann::L2_Simple_Adaptor<float, Cloud>;
using Static = nanoflann::KDTreeSingleIndexAdaptor<Metric, Cloud, 3>;
using Dynamic = nanoflann::KDTreeSingleIndexDynamicAdaptor<Metric, Cloud, 3>;

// Sphere collects the points in a sphere, as nanoflann's own RadiusResultSet does, without their distances.
struct Sphere {
    float squared;
    std::vector<uint32_t>& found;
    size_t size() const { return found.size(); }
    bool full() const { return true; }
    bool addPoint(float distance, uint32_t id) {
        if (distance < squared) found.push_back(id);
        return true;
    }
    float worstDist() const { return squared; }
};

int main() {
    Driver d;
    Cloud cloud, moving; // of the static and of the dynamic index
    std::unique_ptr<Static> index;
    std::unique_ptr<Dynamic> window;
    size_t oldest = 0;
    std::vector<uint32_t> ids;
    std::vector<float> distances;
    const nanoflann::KDTreeSingleIndexAdaptorParams leaves(10);
    auto near = [&](const auto& index, std::istream& line) {
        size_t k;
        line >> k;
        ids.resize(k), distances.resize(k);
        d.each(d.points, [&](const Point& p) {
            nanoflann::KNNResultSet<float, uint32_t> set(k);
            set.init(ids.data(), distances.data());
            index.findNeighbors(set, p.x, nanoflann::SearchParams());
            for (size_t i = 0; i < set.size(); i++) d.found.push_back(bits(distances[i]));
        });
    };
    d.commands["cloud"] = [&](std::istream& line) { moving.points = cloud.points = Driver::load<Point>(line); };
    d.commands["build"] = [&](std::istream& line) {
        line >> cloud.first >> cloud.n;
        index.reset(new Static(3, cloud, leaves));
        index->buildIndex();
    };
    d.commands["dynamic"] = [&](std::istream& line) {
        line >> moving.n;
        oldest = 0;
        window.reset(new Dynamic(3, moving, leaves));
    };
    d.commands["slide"] = [&](std::istream& line) {
        size_t in, out;
        line >> in >> out;
        window->addPoints(uint32_t(moving.n), uint32_t(moving.n + in - 1));
        moving.n += in;
        for (size_t i = 0; i < out; i++) window->removePoint(oldest++);
    };
    d.commands["near"] = [&](std::istream& line) { near(*index, line); };
    d.commands["dnear"] = [&](std::istream& line) { near(*window, line); };
    d.commands["radius"] = [&](std::istream& line) {
        float radius;
        line >> radius;
        d.each(d.points, [&](const Point& p) {
            Sphere sphere{radius * radius, d.found};
            index->findNeighbors(sphere, p.x, nanoflann::SearchParams());
        });
    };
    return d.run("nanoflann");
}
