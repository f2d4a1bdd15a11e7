namespace km {

#define KM_TEXT(text) #text
#define KM_FEATURE(name, macro) (KM_TEXT(macro)[0] == '1' ? name : "")  // a macro that the compiler does not define as 1 gives its own name

/// Features of the program's own -march, "" for one that it lacks, up to a null.
extern const char* const compiled_features[];
constinit const char* const compiled_features[] = {KM_FEATURE("avx", __AVX__),
                                                   KM_FEATURE("avx2", __AVX2__),
                                                   KM_FEATURE("fma", __FMA__),
                                                   KM_FEATURE("bmi2", __BMI2__),
                                                   KM_FEATURE("avx512f", __AVX512F__),
                                                   KM_FEATURE("avx512bw", __AVX512BW__),
                                                   KM_FEATURE("avx512dq", __AVX512DQ__),
                                                   KM_FEATURE("avx512vl", __AVX512VL__),
                                                   KM_FEATURE("avx512vbmi", __AVX512VBMI__),
                                                   KM_FEATURE("avx512vnni", __AVX512VNNI__),
                                                   nullptr};

}  // namespace km
