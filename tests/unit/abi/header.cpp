// SPDX-License-Identifier: BSD-3-Clause
// Compares the declarations of src/abi with one real MPI header. Links no MPI library.
//
// Ours must be read first: the real header's macros have the names of our constants.
#include <stddef.h>

#include "abi/mpi.hpp"

// clang-format off
#define PLAIT_INTEGERS(check) \
  check(SUCCESS) check(ERR_BUFFER) check(ERR_COUNT) check(ERR_TYPE) check(ERR_TAG) \
  check(ERR_COMM) check(ERR_RANK) check(ERR_REQUEST) check(ERR_ROOT) check(ERR_GROUP) \
  check(ERR_OP) check(ERR_TOPOLOGY) check(ERR_DIMS) check(ERR_ARG) check(ERR_AMODE) \
  check(ERR_ASSERT) check(ERR_BASE) check(ERR_DISP) check(ERR_FILE) check(ERR_INFO_KEY) \
  check(ERR_INFO_VALUE) check(ERR_INFO) check(ERR_KEYVAL) check(ERR_LOCKTYPE) \
  check(ERR_NOT_SAME) check(ERR_RMA_CONFLICT) check(ERR_RMA_SYNC) check(ERR_SIZE) check(ERR_WIN) \
  check(ERR_TRUNCATE) check(ERR_IN_STATUS) check(ERR_PENDING) check(ERR_UNSUPPORTED_OPERATION) \
  check(ANY_SOURCE) check(ANY_TAG) check(PROC_NULL) \
  check(ROOT) check(UNDEFINED) check(CART) \
  check(GRAPH) check(DIST_GRAPH) check(COMM_TYPE_SHARED) \
  check(LOCK_EXCLUSIVE) check(MODE_NOCHECK) \
  check(COMBINER_NAMED) check(COMBINER_STRUCT) check(COMBINER_F90_REAL) \
  check(COMBINER_F90_COMPLEX) check(COMBINER_F90_INTEGER) check(THREAD_FUNNELED) \
  check(THREAD_SERIALIZED) check(THREAD_MULTIPLE) check(MAX_OBJECT_NAME) \
  check(MAX_LIBRARY_VERSION_STRING)
#if defined(PLAIT_FAMILY_MPICH)
#define PLAIT_ADDRESSES(check) check(IN_PLACE) check(STATUS_IGNORE) check(STATUSES_IGNORE)
#else
#define PLAIT_ADDRESSES(check) \
  check(IN_PLACE) check(STATUS_IGNORE) check(STATUSES_IGNORE) \
  check(UNWEIGHTED) check(WEIGHTS_EMPTY)
#endif
#define PLAIT_HANDLES(check) \
  check(COMM_WORLD, kCommWorld) check(COMM_SELF, kCommSelf) \
  check(COMM_NULL, kCommNull) check(WIN_NULL, kWinNull) \
  check(FILE_NULL, kFileNull) check(REQUEST_NULL, kRequestNull) \
  check(INFO_NULL, kInfoNull) check(ERRORS_RETURN, kErrorsReturn) \
  check(DATATYPE_NULL, kDatatypeNull) check(BYTE, kByte) check(DOUBLE, kDouble) \
  check(MAX, kMax) check(MIN, kMin) check(SUM, kSum) \
  check(PROD, kProd) check(LAND, kLand) check(BAND, kBand) \
  check(LOR, kLor) check(BOR, kBor) check(LXOR, kLxor) \
  check(BXOR, kBxor) check(MAXLOC, kMaxloc) check(MINLOC, kMinloc) \
  check(REPLACE, kReplace) check(NO_OP, kNoOp)
#define PLAIT_TYPES(check) \
  check(Comm) check(Datatype) check(Errhandler) check(File) check(Group) \
  check(Info) check(Message) check(Op) check(Request) check(Session) \
  check(Win) check(Aint) check(Offset) check(Count)
// clang-format on

namespace ours {

#define PLAIT_KEEP(name) constexpr long name = plait::mpi::MPI_##name;
PLAIT_INTEGERS(PLAIT_KEEP)
#undef PLAIT_KEEP
#define PLAIT_KEEP(name) constexpr uintptr_t name = plait::mpi::MPI_##name.value;
PLAIT_ADDRESSES(PLAIT_KEEP)
#undef PLAIT_KEEP
#define PLAIT_KEEP(name) using name = plait::mpi::MPI_##name;
PLAIT_TYPES(PLAIT_KEEP)
#undef PLAIT_KEEP
using Status = plait::mpi::MPI_Status;
constexpr size_t source = offsetof(Status, MPI_SOURCE), tag = offsetof(Status, MPI_TAG),
                 error = offsetof(Status, MPI_ERROR);

}  // namespace ours

// Found beside the header's function of the same name, or alone where the header has none.
namespace absent {
struct Nothing {};
#define PLAIT_MPI_FUNCTION(name, ...) Nothing MPI_##name(Nothing);
#include "mpi_functions.inc"
#undef PLAIT_MPI_FUNCTION

template <class... Types>
struct List {};
template <class... Parameters>
List<Parameters...> parameters_of(int (*)(Parameters...));
Nothing parameters_of(...);
}  // namespace absent

#define OMPI_SKIP_MPICXX 1
#define MPICH_SKIP_MPICXX 1
#include PLAIT_HEADER

#include <cstdio>
#include <cstring>
#include <type_traits>
#include <utility>

#if defined(OMPI_MAJOR_VERSION) && OMPI_MAJOR_VERSION < 5
typedef void* MPI_Session;
#endif

namespace {

using namespace absent;

int errors = 0, functions = 0, missing = 0;

void check_number(const char* name, long long own, long long theirs) {
  if (own == theirs) return;
  ++errors;
  std::printf("MPI_%s: %lld (0x%llx) in src/abi, %lld (0x%llx) in the header\n", name, own,
              static_cast<unsigned long long>(own), theirs,
              static_cast<unsigned long long>(theirs));
}

template <class Handle>
long long number_of(Handle handle) {
  if constexpr (std::is_pointer_v<Handle>) {
    return static_cast<long long>(reinterpret_cast<uintptr_t>(handle));
  } else {
    return static_cast<unsigned>(handle);
  }
}

/// `text`: what the header's macro expands to.
template <class Own>
void check_handle(const char* name, const plait::mpi::NamedHandle<Own>& own, const char* text) {
  const size_t length = std::strlen(own.symbol);
  const char* at = std::strstr(text, own.symbol);
  if (at && at[-1] == '(' && at[length] == ')') return;
  ++errors;
  std::printf("MPI_%s: %s in src/abi, %s in the header\n", name, own.symbol, text);
}

template <class Type>
constexpr int class_of() {
  return std::is_pointer_v<Type> ? 1 : std::is_signed_v<Type> ? 2 : 3;
}

template <class Own, class Theirs>
void check_type(const char* name) {
  if (sizeof(Own) == sizeof(Theirs) && alignof(Own) == alignof(Theirs) &&
      class_of<Own>() == class_of<Theirs>())
    return;
  ++errors;
  std::printf("MPI_%s: another type in the header\n", name);
}

/// What a caller passes, whatever the header calls it: MPI_Count is long or long long, and old
/// headers lack some const.
template <class Type>
struct Plain {
  using type = Type;
};
template <>
struct Plain<long> {
  using type = long long;
};
template <class Type>
struct Plain<const Type> {
  using type = typename Plain<Type>::type;
};
template <class Type>
struct Plain<Type*> {
  using type = typename Plain<Type>::type*;
};

template <class Own, class Theirs>
constexpr bool passes_as() {
  if constexpr (std::is_pointer_v<Theirs>) {
    using Target = std::remove_pointer_t<Theirs>;
    if (std::is_same_v<Own, void*> && std::is_function_v<Target>) return true;
    if (std::is_same_v<Own, int*> && std::is_same_v<std::remove_const_t<Target>, int[3]>)
      return true;
  }
  return std::is_same_v<typename Plain<Own>::type, typename Plain<Theirs>::type>;
}

template <class Type>
using Pointer = Type*;

template <class Own>
void check_function(const char*, Own, Nothing) {
  ++missing;
}

template <class... Own, class... Theirs>
void check_function(const char* name, List<Own...>, List<Theirs...>) {
  ++functions;
  if constexpr (sizeof...(Own) == sizeof...(Theirs)) {
    int position = 0;
    const auto check = [&](bool same) {
      ++position;
      if (same) return;
      ++errors;
      std::printf("MPI_%s: parameter %d has another type in the header\n", name, position);
    };
    (check(passes_as<Own, Theirs>()), ...);
  } else {
    ++errors;
    std::printf("MPI_%s: %zu parameters in the table, %zu in the header\n", name, sizeof...(Own),
                sizeof...(Theirs));
  }
}

#if !defined(PLAIT_FAMILY_OPENMPI)
/// Headers of the standard ABI from before October 2025 (Intel MPI 2021.18) exchange the values of
/// MPI_ERRORS_RETURN and MPI_ERRORS_ABORT.
bool is_exchanged(long long value, const char* name) {
#if defined(PLAIT_FAMILY_ABI)
  return !std::strcmp(name, "ERRORS_RETURN") && value == 0x142 &&
         number_of(MPI_ERRORS_ABORT) == 0x143;
#else
  static_cast<void>(value);
  static_cast<void>(name);
  return false;
#endif
}
#endif

#define PLAIT_TEXT_OF(...) #__VA_ARGS__
#define PLAIT_TEXT(...) PLAIT_TEXT_OF(__VA_ARGS__)

void check_values() {
#define PLAIT_CHECK(name) check_number(#name, ours::name, MPI_##name);
  PLAIT_INTEGERS(PLAIT_CHECK)
#undef PLAIT_CHECK
#define PLAIT_CHECK(name) \
  check_number(#name, static_cast<long long>(ours::name), number_of(MPI_##name));
  PLAIT_ADDRESSES(PLAIT_CHECK)
#undef PLAIT_CHECK
#if defined(PLAIT_FAMILY_OPENMPI)
#define PLAIT_CHECK(name, own) check_handle(#name, plait::mpi::own, PLAIT_TEXT(MPI_##name));
#else
#define PLAIT_CHECK(name, own)                     \
  if (!is_exchanged(number_of(MPI_##name), #name)) \
    check_number(#name, static_cast<long long>(plait::mpi::own.value), number_of(MPI_##name));
#endif
  PLAIT_HANDLES(PLAIT_CHECK)
#undef PLAIT_CHECK
#if defined(PLAIT_FAMILY_MPICH)
  static_assert(std::is_same_v<decltype(MPI_UNWEIGHTED), int* const>);
  static_assert(std::is_same_v<decltype(MPI_WEIGHTS_EMPTY), int* const>);
#endif
}

void check_status() {
  check_number("Status (size)", sizeof(ours::Status), sizeof(::MPI_Status));
  check_number("Status (alignment)", alignof(ours::Status), alignof(::MPI_Status));
  check_number("SOURCE (offset)", ours::source, offsetof(::MPI_Status, MPI_SOURCE));
  check_number("TAG (offset)", ours::tag, offsetof(::MPI_Status, MPI_TAG));
  check_number("ERROR (offset)", ours::error, offsetof(::MPI_Status, MPI_ERROR));
#if defined(PLAIT_FAMILY_OPENMPI)
  check_number("Status (bytes)", offsetof(ours::Status, bytes), offsetof(::MPI_Status, _ucount));
#elif defined(PLAIT_FAMILY_MPICH)
  check_number("Status (low count)", offsetof(ours::Status, count_low),
               offsetof(::MPI_Status, count_lo));
  check_number("Status (high count)", offsetof(ours::Status, count_high_and_cancelled),
               offsetof(::MPI_Status, count_hi_and_cancelled));
#endif
}

void check_types() {
#define PLAIT_CHECK(name) check_type<ours::name, ::MPI_##name>(#name);
  PLAIT_TYPES(PLAIT_CHECK)
#undef PLAIT_CHECK
}

void check_functions() {
#define PLAIT_MPI_FUNCTION(name, ...)                                      \
  check_function(#name, decltype(parameters_of(Pointer<__VA_ARGS__>{})){}, \
                 decltype(parameters_of(&MPI_##name)){});
#include "mpi_functions.inc"
#undef PLAIT_MPI_FUNCTION
}

}  // namespace

int main() {
  std::printf("%s\n", PLAIT_HEADER_FILE);
  check_values();
  check_status();
  check_types();
  check_functions();
  std::printf("%d functions compared, %d not in this header, %d differences\n", functions, missing,
              errors);
  return errors == 0 && functions > 300 ? 0 : 1;
}
