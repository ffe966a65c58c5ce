// A driver of nanoflann: it reads commands from standard input, one a line, and writes one line for each, the
// nanoseconds of the work, and after "answers" the squared distances in binary.
//
//   load POINTS QUERIES  reads points and queries, files of three float32 for each
//   build FIRST N       a static index of points FIRST to FIRST + N - 1
//   dynamic N           a dynamic index of points 0 to N - 1
//   slide IN OUT        inserts the next IN points, removes the OUT oldest from the dynamic index
//   search K            the K nearest points of all queries, in the static index
//   answers K           the same, with the distances
//   dsearch K, danswers K   the same in the dynamic index
#include <nanoflann.hpp>

#include <chrono>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

struct Points {
    std::vector<float> xyz;
    size_t first = 0, n = 0;
    size_t kdtree_get_point_count() const { return n; }
    float kdtree_get_pt(size_t i, size_t axis) const { return xyz[3 * (first + i) + axis]; }
    template <class Box> bool kdtree_get_bbox(Box&) const { return false; }
};

using Metric = nanoflann::L2_Simple_Adaptor<float, Points>;
using Static = nanoflann::KDTreeSingleIndexAdaptor<Metric, Points, 3>;
using Dynamic = nanoflann::KDTreeSingleIndexDynamicAdaptor<Metric, Points, 3>;

// floats returns the numbers of a file.
static std::vector<float> floats(const std::string& path) {
    std::ifstream in(path, std::ios::binary | std::ios::ate);
    if (!in) throw std::runtime_error("cannot read " + path);
    std::vector<float> all(size_t(in.tellg()) / sizeof(float));
    in.seekg(0);
    in.read(reinterpret_cast<char*>(all.data()), std::streamsize(sizeof(float) * all.size()));
    return all;
}

template <class Index>
static void search(const Index& index, const std::vector<float>& queries, size_t k, std::vector<float>& out) {
    std::vector<uint32_t> ids(k);
    out.resize(queries.size() / 3 * k);
    for (size_t i = 0; i < queries.size() / 3; i++) {
        nanoflann::KNNResultSet<float, uint32_t> set(k);
        set.init(ids.data(), &out[i * k]);
        index.findNeighbors(set, &queries[3 * i], nanoflann::SearchParams());
    }
}

int main() try {
    Points points, moving; // of the static and of the dynamic index
    std::vector<float> queries, out;
    std::unique_ptr<Static> index;
    std::unique_ptr<Dynamic> window;
    size_t oldest = 0;
    for (std::string command; std::cin >> command;) {
        std::string path, asked;
        size_t a = 0, b = 0;
        if (command == "load") std::cin >> path >> asked;
        else if (command == "build" || command == "slide") std::cin >> a >> b;
        else std::cin >> a;
        const auto start = std::chrono::steady_clock::now();
        if (command == "load") {
            points.xyz = floats(path);
            moving.xyz = points.xyz;
            queries = floats(asked);
        } else if (command == "build") {
            points.first = a, points.n = b;
            index.reset(new Static(3, points, nanoflann::KDTreeSingleIndexAdaptorParams(10)));
            index->buildIndex();
        } else if (command == "dynamic") {
            moving.n = a, oldest = 0;
            window.reset(new Dynamic(3, moving, nanoflann::KDTreeSingleIndexAdaptorParams(10)));
        } else if (command == "slide") {
            window->addPoints(uint32_t(moving.n), uint32_t(moving.n + a - 1));
            moving.n += a;
            for (size_t i = 0; i < b; i++) window->removePoint(oldest++);
        } else if (command == "search" || command == "answers") {
            search(*index, queries, a, out);
        } else if (command == "dsearch" || command == "danswers") {
            search(*window, queries, a, out);
        } else {
            throw std::runtime_error("unknown command " + command);
        }
        const auto took = std::chrono::steady_clock::now() - start;
        std::cout << std::chrono::duration_cast<std::chrono::nanoseconds>(took).count() << "\n";
        if (command == "answers" || command == "danswers")
            std::cout.write(reinterpret_cast<const char*>(out.data()), std::streamsize(4 * out.size()));
        std::cout.flush();
    }
} catch (const std::exception& e) {
    std::cerr << "nanoflann: " << e.what() << std::endl;
    return 1;
}
