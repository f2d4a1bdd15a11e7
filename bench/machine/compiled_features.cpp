#include "bench/machine/processor.hpp"

namespace km {

const unsigned compiled_features = 0
#ifdef __AVX__
                                   | feature_avx
#endif
#ifdef __AVX2__
                                   | feature_avx2
#endif
#ifdef __FMA__
                                   | feature_fma
#endif
#ifdef __BMI2__
                                   | feature_bmi2
#endif
#ifdef __AVX512F__
                                   | feature_avx512f
#endif
#ifdef __AVX512BW__
                                   | feature_avx512bw
#endif
#ifdef __AVX512DQ__
                                   | feature_avx512dq
#endif
#ifdef __AVX512VL__
                                   | feature_avx512vl
#endif
#ifdef __AVX512VBMI__
                                   | feature_avx512vbmi
#endif
#ifdef __AVX512VNNI__
                                   | feature_avx512vnni
#endif
    ;

}  // namespace km
