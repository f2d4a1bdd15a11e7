// Spark MLlib's KMeans (mllib.clustering, the one that takes a start) in a JVM: local[*], or the master KMBENCH_SPARK_MASTER. The cached RDD holds the
// points as vectors of doubles; an iteration is one job: labels and sums in each partition, then a shuffle. run() does not return the centroids of its
// last assign, so another makes the last iteration; download finds the labels untimed.
#include <cstdlib>

#include "impl/library/out_of_process.hpp"

namespace km {
namespace {

Command command(const Config&, bool) { return python_command("spark_worker.py"); }

bool has_java() {
  const char* home = std::getenv("JAVA_HOME");
  return runs({home ? home + std::string("/bin/java") : "java", "--version"});
}

const Register<Program<command>::Solver> registration{{
    .summary = "Spark MLlib's KMeans on this machine, or your cluster",
    .parameters = {{.name = "partitions", .fallback = 0, .range = {0, 1, 3, 16, 256}, .tunable = true, .help = "of the points; 0: one a processor"}},
    .unsupported = [](const ProblemShape& p, const Config&, int) -> std::string {
      if (p.tolerance > 0) return "a tolerance above 0 is a movement of the centroids in Spark, not a share of labels";
      if (!python_has("pyspark")) return not_installed("pyspark");
      return has_java() ? "" : "Spark needs Java, which was not found";
    },
    .distance = Distance::expansion,
    .departs = "once the centroids rest, it makes none of the other iterations",
}};

}  // namespace
}  // namespace km
