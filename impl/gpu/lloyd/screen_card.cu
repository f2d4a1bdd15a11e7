#include "impl/gpu/lloyd/screen_card.cuh"

#include <algorithm>
#include <limits>

#include "impl/gpu/lloyd/screen_centroids.cuh"
#include "impl/gpu/lloyd/screen_settle.cuh"

namespace km::screen {
namespace {

Strategy strategy_of(std::string_view word) { return word == "differences" ? differences : word == "three products" ? three_products : one_product; }

/// Returns the number of pieces of the image that fit shared memory, and allows the kernel so much.
int stages_of(Kernel kernel, const ImageLayout& layout) {
  cudaFuncAttributes own;
  cuda::check(cudaFuncGetAttributes(&own, kernel));
  const int bytes = cuda::most_shared_bytes() - static_cast<int>(own.sharedSizeBytes);
  const int stages = std::min({most_stages, layout.tiles * layout.chunks, bytes / layout.piece_bytes()});
  cuda::allow_shared(kernel, stages * layout.piece_bytes());
  return stages;
}

template <class T>
class OnOne : public Card<T> {
 public:
  OnOne(const Problem<T>& problem, const Config& config, const Unit& unit, float margin_scale, Trace& trace, cudaStream_t stream);

  std::vector<double> sums_of_columns() const override { return column_sums(points_.data(), shape_.n, shape_.d, stream_); }
  std::vector<double> greatest_of_columns() const override { return moved_sums::greatest_of_columns(points_.data(), shape_.n, shape_.d, stream_); }
  double furthest_from(std::span<const double> centre) override;
  float lay_out(double scale, std::span<const double> greatest, std::int64_t n) override;
  void finish_layout(float longest) override;
  void warm_up(std::int32_t* labels, unsigned long long* changed, T* next) override;

  void begin() override;
  void assign(const T* assigned, std::int32_t* labels, unsigned long long* changed) override;
  void sum(const std::int32_t* labels) override { sums_.enqueue(points_.data(), labels, early_, stream_); }
  Totals totals() const override { return {sums_.sums(), sums_.counts()}; }
  void average(const Totals& of, const T* assigned, T* next) override { enqueue_average(&of, assigned, next); }
  void report(Trace& trace) const override;

 private:
  int settle_bytes() const { return settle_warps / across_ * together * shape_.d * int(sizeof(T)); }
  /// totals, next: null before the first iteration.
  void enqueue_average(const Totals* totals, const T* assigned, T* next);

  ProblemShape shape_;
  cudaStream_t stream_;
  cuda::Buffer<T> points_, initial_;
  moved_sums::Sums<T> sums_;
  ImageLayout one_, three_;
  int k_padded_, one_threads_ = 0, three_threads_ = 0, one_stages_ = 0, three_stages_ = 0, across_ = 1, iteration_ = 0;
  int multiprocessors_ = cuda::multiprocessors();
  Strategy strategy_;
  cuda::Buffer<std::uint8_t> one_image_, three_image_;
  cuda::Buffer<Lengths> lengths_;  // of this iteration's centroids and the next's
  cuda::Buffer<T> transposed_;
  cuda::Buffer<uint4> high_, low_;
  cuda::Buffer<std::uint32_t> left_;
  cuda::Buffer<int> open_points_, open_counts_, candidates_, many_, rest_;
  cuda::Buffer<float> least_;
  cuda::Buffer<Progress> progress_;  // this iteration's and the last one's
  cuda::Buffer<unsigned long long> lowest_, hashes_;
  cuda::Buffer<Twins::State> twins_;
  cuda::Buffer<double> centre_;
  double scale_ = 1;
  float score_offset_ = 0, margin_scale_;
  bool early_;  // see cuda::launch
  Kernel by_one_ = nullptr, collect_by_one_ = nullptr, by_three_ = nullptr, collect_by_three_ = nullptr;
  decltype(&compare_candidates<T, 1>) compare_ = nullptr;
};

template <class T>
OnOne<T>::OnOne(const Problem<T>& problem, const Config& config, const Unit& unit, float margin_scale, Trace& trace, cudaStream_t stream)
    : shape_(problem), stream_(stream), points_(cuda::upload_rows(problem, trace, stream)), initial_(std::int64_t(problem.k) * problem.d),
      sums_(problem, config.integer("grid")), one_(layout_for(problem, 1)), three_(layout_for(problem, 3)), k_padded_(up_to(problem.k, 32)),
      strategy_(strategy_of(config.word("begin"))), one_image_(one_.bytes()), three_image_(three_.bytes()), lengths_(2),
      transposed_(std::int64_t(problem.d) * k_padded_), left_(problem.n), open_points_(problem.n), open_counts_(problem.n),
      candidates_(problem.n * most_candidates), many_(problem.n), rest_(problem.n), least_(problem.n), progress_(2), lowest_(1 << Twins::bits),
      hashes_(problem.k), twins_(1), centre_(problem.d), margin_scale_(margin_scale) {
  one_stages_ = stages_of(by_one_ = unit.decide(one_, one_threads_), one_);
  one_stages_ = std::min(one_stages_, stages_of(collect_by_one_ = unit.collect(one_, one_threads_), one_));
  three_stages_ = stages_of(by_three_ = unit.decide_by_three(three_, three_threads_), three_);
  three_stages_ = std::min(three_stages_, stages_of(collect_by_three_ = unit.collect_by_three(three_, three_threads_), three_));
  compare_ = problem.d % cuda::Pack<T>::size == 0 ? compare_candidates<T, cuda::Pack<T>::size> : compare_candidates<T, 1>;
  early_ = cuda::may_start_early(by_one_) && cuda::may_start_early(compare_);
  while (across_ < settle_warps && (across_ * 32 < k_padded_ || settle_bytes() > 48 * 1024)) across_ *= 2;
  cuda::allow_shared(settle<T>, std::max(settle_bytes(), 48 * 1024));
  upload(initial_, problem.initial_centroids, stream_);
}

template <class T>
double OnOne<T>::furthest_from(std::span<const double> centre) {
  cuda::upload(centre_, centre, stream_);
  return furthest(shape_, points_.data(), initial_.data(), centre_.data(), stream_);
}

template <class T>
float OnOne<T>::lay_out(double scale, std::span<const double> greatest, std::int64_t n) {
  scale_ = one_.started ? scale / start_scale : scale;
  sums_.set_units(greatest, n, stream_);
  const std::int64_t tiles = cuda::blocks(shape_.n, tile_rows);
  const int steps = one_.steps * one_.chunks;
  high_ = cuda::Buffer<uint4>(tiles * steps * 128);
  low_ = cuda::Buffer<uint4>(tiles * steps * 128);
  cuda::Buffer<float> longest(1);
  cuda::clear(stream_, longest);
  halve_points<<<tiles, 128, 0, stream_>>>(points_.data(), centre_.data(), scale_, shape_.n, shape_.d, steps, one_.starts(), high_.data(),
                                           low_.data(), left_.data(), longest.data());
  cuda::check_launch();
  return cuda::fetched(longest, stream_)[0];
}

template <class T>
void OnOne<T>::finish_layout(float longest) {
  score_offset_ = longest * 1.6f;  // bounds |x·c| + |c|²/2 for centroids among the points
  cuda::clear(stream_, one_image_, three_image_, transposed_);
  clear_scores<<<256, 256, 0, stream_>>>(one_, one_image_.data());
  cuda::check_launch();
  clear_scores<<<256, 256, 0, stream_>>>(three_, three_image_.data());
  cuda::check_launch();
  cuda::poison(stream_, lowest_);  // entries of no turn
  const Twins::State none{0, std::numeric_limits<unsigned>::max() - 1};
  cuda::upload(twins_, std::span(&none, 1), stream_);
}

template <class T>
void OnOne<T>::warm_up(std::int32_t* labels, unsigned long long* changed, T* next) {
  begin();
  assign(initial_.data(), labels, changed);
  sum(labels);
  average(totals(), initial_.data(), next);
  iteration_ = 0;
  cuda::check(cudaStreamSynchronize(stream_));
}

template <class T>
void OnOne<T>::begin() {
  iteration_ = 0;
  const Progress begin{.strategy = strategy_};
  cuda::check(cudaMemcpyAsync(progress_.data(), &begin, sizeof begin, cudaMemcpyHostToDevice, stream_));
  cuda::clear(stream_, lengths_);
  sums_.clear(stream_);
}

template <class T>
void OnOne<T>::assign(const T* assigned, std::int32_t* labels, unsigned long long* changed) {
  const auto [n, d, k, max_iters, tolerance] = shape_;
  if (iteration_ == 0) enqueue_average(nullptr, assigned, nullptr);
  const Points points{high_.data(), low_.data(), left_.data(), one_.steps * one_.chunks, n};
  const Open open{open_points_.data(), least_.data(), open_counts_.data(), candidates_.data()};
  Screen s{
      points, one_image_.data(), one_,          one_stages_,  lengths_.data() + iteration_ % 2, progress_.data(), open, many_.data(), rest_.data(),
      labels, changed,           score_offset_, margin_scale_};
  const auto score = [&](Kernel kernel, int threads) {
    cuda::launch(early_, kernel, multiprocessors_, threads, s.stages * s.layout.piece_bytes(), stream_, s);
  };
  score(by_one_, one_threads_);
  score(collect_by_one_, one_threads_);
  s.image = three_image_.data(), s.layout = three_, s.stages = three_stages_;
  score(by_three_, three_threads_);
  score(collect_by_three_, three_threads_);
  cuda::launch(early_, compare_, multiprocessors_ * 6, settle_block, 0, stream_, points_.data(), assigned, n, d, progress_.data(), open, labels,
               changed);
  const Settle<T> rest{points_.data(), transposed_.data(), n, d, k, k_padded_, across_, progress_.data(), rest_.data(), labels, changed};
  cuda::launch(early_, settle<T>, multiprocessors_ * 4, settle_block, settle_bytes(), stream_, rest);
}

template <class T>
void OnOne<T>::enqueue_average(const Totals* totals, const T* assigned, T* next) {
  const auto [n, d, k, max_iters, tolerance] = shape_;
  const int slot = totals ? (iteration_ + 1) % 2 : 0;
  const Images<T> images{one_, three_, one_image_.data(), three_image_.data(), lengths_.data() + slot, transposed_.data(), k_padded_, score_offset_};
  const Course course{lengths_.data() + (slot ^ 1), progress_.data(), progress_.data() + 1, strategy_ == one_product};
  const bool early = early_ && (!totals || totals->sums == sums_.sums());  // others' sums come by work of another kind
  cuda::launch(early, screen::average<T>, k, 128, 0, stream_, totals ? totals->sums : nullptr, totals ? totals->counts : nullptr, sums_.fixed_point(),
               assigned, centre_.data(), scale_, n, d, k, next, images, Twins{lowest_.data(), hashes_.data(), twins_.data()}, course);
  if (totals) ++iteration_;
}

template <class T>
void OnOne<T>::report(Trace& trace) const {
  if (!trace.active()) return;
  const Progress made = cuda::fetched(progress_, stream_)[1];
  const double open = double(made.unknown) + made.known;
  const bool by_three = made.strategy == three_products;
  trace.count("open_after_one", by_three ? 0 : open);
  trace.count("told_at_once", made.known);
  trace.count("many_candidates", made.many);
  trace.count("open_after_three", by_three ? open : made.rest);
  trace.count("in_doubt", made.in_doubt);
  trace.count("way", made.strategy);
}

}  // namespace

std::string too_large(const ProblemShape& p, int value_bytes, int devices) {
  const int most_bytes = cuda::attribute_or(cudaDevAttrMaxSharedMemoryPerBlockOptin, std::numeric_limits<int>::max());
  if (together * p.d * value_bytes > most_bytes - 4096) return "eight points exceed shared memory";
  if (p.d > 1 << 14) return "more than 16384 dimensions";
  if (p.k > 1 << Twins::bits) return "more than 2^20 clusters";
  if (p.n / devices >= std::int64_t(1) << 30) return "2^30 points or more on a GPU: two entries a point exceed a list";
  return "";
}

std::vector<Parameter> parameters() {
  return {tunable("begin", "one product", {"one product", "three products", "differences"},
                  "first scores; later iterations use the others if too many points stay open"),
          tunable("grid", 264, {132, 264, 528}, "blocks of the update; they share the points")};
}

template <class T>
std::unique_ptr<Card<T>> Card<T>::make(const Problem<T>& problem, const Config& config, const Unit& unit, float margin_scale, Trace& trace,
                                       cudaStream_t stream) {
  return std::make_unique<OnOne<T>>(problem, config, unit, margin_scale, trace, stream);
}
template std::unique_ptr<Card<float>> Card<float>::make(const Problem<float>&, const Config&, const Unit&, float, Trace&, cudaStream_t);
template std::unique_ptr<Card<double>> Card<double>::make(const Problem<double>&, const Config&, const Unit&, float, Trace&, cudaStream_t);

}  // namespace km::screen
