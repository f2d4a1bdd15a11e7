// A solution and its problem, as tests give them to the judge.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "tests/solving.hpp"

namespace km {

/// A problem that owns its points, and a solution to be judged with it.
template <class T>
struct JudgedTrial {
  std::vector<T> points;
  Solution<T> solution;
  int d;
  Description description = {};
  Problem<T> problem = {};

  Judgement judged() {
    problem.d = d;
    problem.n = std::int64_t(points.size()) / d;
    problem.k = int(solution.centroids.size()) / d;
    problem.max_iters = 1;
    problem.points = points;
    return judge(problem, solution, description, Config());
  }
  std::string verdict() { return judged().verdict; }
};

/// One dimension. After the labels: the centroids that assign used, and those after the update.
template <class T>
JudgedTrial<T> on_a_line(std::vector<T> points, Labels labels, std::vector<T> assigned, std::vector<T> centroids) {
  return {.points = std::move(points),
          .solution = {.labels = std::move(labels), .assigned_centroids = std::move(assigned), .centroids = std::move(centroids), .iters = 1},
          .d = 1};
}

inline bool says(const std::string& text, const std::string& words) { return text.find(words) != text.npos; }

}  // namespace km
