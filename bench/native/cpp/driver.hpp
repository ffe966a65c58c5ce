// The common part of the drivers. A driver reads commands from standard input, one a line, and writes one line for
// each: the nanoseconds of the work, and 0. After "answers COMMAND …" the second number is that of the words that follow in
// binary: for each query the number of its results, and the results, which are IDs or the bits of float32.
//
//   boxes FILE     the objects: six float32 each, min and max
//   points FILE    points of queries: three float32 each
//   rays FILE      seven float32 each: origin, direction, length
//   windows FILE   boxes of queries
//   frusta FILE    six planes each: four float32, inside is n·p + d >= 0
//   moves FILE     the uint32 of an object and its new box
#pragma once

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <functional>
#include <iostream>
#include <limits>
#include <map>
#include <memory>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

struct Point { float x[3]; };
struct Box { float lo[3], hi[3]; };
struct Ray { float from[3], way[3], length; };
struct Frustum { float planes[6][4]; };
struct Move { uint32_t id; Box box; };

static const float infinity = std::numeric_limits<float>::infinity();

// bits returns the word of a float32.
inline uint32_t bits(float x) {
    uint32_t word;
    std::memcpy(&word, &x, sizeof word);
    return word;
}

// between returns the distance of a point to a box.
inline float between(const Box& b, const float p[3]) {
    float sum = 0;
    for (int a = 0; a < 3; a++) {
        const float gap = p[a] - std::min(std::max(p[a], b.lo[a]), b.hi[a]);
        sum += gap * gap;
    }
    return std::sqrt(sum);
}

// enters returns the time at which a ray enters a box, from 0 to length, or infinity.
inline float enters(const Box& b, const float from[3], const float way[3], float length) {
    float enter = 0, leave = length;
    for (int a = 0; a < 3; a++) {
        if (way[a] == 0) {
            if (from[a] < b.lo[a] || from[a] > b.hi[a]) return infinity;
            continue;
        }
        const float inverse = 1 / way[a], x = (b.lo[a] - from[a]) * inverse, y = (b.hi[a] - from[a]) * inverse;
        enter = std::max(enter, std::min(x, y));
        leave = std::min(leave, std::max(x, y));
    }
    return enter <= leave ? enter : infinity;
}

class Driver {
public:
    std::vector<Box> boxes, windows;
    std::vector<Point> points;
    std::vector<Ray> rays;
    std::vector<Frustum> frusta;
    std::vector<Move> moves;
    std::vector<uint32_t> found; // results of the current query

    using Work = std::function<void(std::istream&)>;
    std::map<std::string, Work> commands;

    Driver() {
        reads("boxes", boxes);
        reads("points", points);
        reads("rays", rays);
        reads("windows", windows);
        reads("frusta", frusta);
        reads("moves", moves);
    }

    // reads adds a command that reads a file.
    template <class T> void reads(const std::string& name, std::vector<T>& list) {
        commands[name] = [&list](std::istream& line) { list = load<T>(line); };
    }

    // load reads the file whose name is next in a line.
    template <class T> static std::vector<T> load(std::istream& line) {
        std::string path;
        line >> path;
        std::ifstream in(path, std::ios::binary | std::ios::ate);
        if (!in) throw std::runtime_error("cannot read " + path);
        std::vector<T> all(size_t(in.tellg()) / sizeof(T));
        in.seekg(0);
        in.read(reinterpret_cast<char*>(all.data()), std::streamsize(sizeof(T) * all.size()));
        return all;
    }

    // each runs a query of each element of a list. Its results are in found, which is empty before.
    template <class T, class Query> void each(const std::vector<T>& list, Query query) {
        for (const T& of : list) {
            found.clear();
            query(of);
            if (!recording) continue;
            answers.push_back(uint32_t(found.size()));
            answers.insert(answers.end(), found.begin(), found.end());
        }
    }

    // nearer inserts a distance into the k smallest of a search, which ascend, and reports whether it is one of them.
    bool nearer(float distance) {
        size_t at = found.size() - 1;
        if (!(bits(distance) < found[at])) return false; // distances are not negative: their bits have the same order
        for (; at > 0 && found[at - 1] > bits(distance); at--) found[at] = found[at - 1];
        found[at] = bits(distance);
        return true;
    }

    int run(const char* name) try {
        for (std::string text, word; std::getline(std::cin, text);) {
            std::istringstream line(text);
            answers.clear();
            line >> word;
            recording = word == "answers";
            if (recording) line >> word;
            const auto at = commands.find(word);
            if (at == commands.end()) throw std::runtime_error("unknown command " + word);
            const auto start = std::chrono::steady_clock::now();
            at->second(line);
            const auto took = std::chrono::steady_clock::now() - start;
            std::cout << std::chrono::duration_cast<std::chrono::nanoseconds>(took).count() << " " << answers.size() << "\n";
            std::cout.write(reinterpret_cast<const char*>(answers.data()), std::streamsize(4 * answers.size()));
            std::cout.flush();
        }
        return 0;
    } catch (const std::exception& e) {
        std::cerr << name << ": " << e.what() << std::endl;
        return 1;
    }

private:
    bool recording = false;
    std::vector<uint32_t> answers;
};
