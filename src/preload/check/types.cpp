// SPDX-License-Identifier: BSD-3-Clause
// Decomposes datatypes with MPI_Type_get_envelope and _contents, and keeps their signatures.
#include "preload/check/types.hpp"

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include "preload/calls/functions.hpp"
#include "preload/check/handle_map.hpp"
#include "preload/check/log.hpp"
#include "trace/check_signature.hpp"

namespace plait::preload {
namespace {

using check::Signature;

constexpr uint32_t kMostRuns = 4096;
constexpr int kMostLevels = 64;

HandleMap type_of_handle, type_of_hash;

/// A signature under construction: adjacent equal runs are joined.
struct Sequence {
  Signature signature;
  uint32_t flags = 0;
  uint32_t count = 0;
  plait_check_run* runs = nullptr;  // room for kMostRuns

  void add(const plait_check_run& run) {
    if (flags & PLAIT_CHECK_TYPE_LONG || run.count == 0) return;
    if (count && runs[count - 1].basic == run.basic) {
      runs[count - 1].count += run.count;
    } else if (count == kMostRuns) {
      flags |= PLAIT_CHECK_TYPE_LONG;
    } else {
      runs[count++] = run;
    }
  }

  /// Adds the type `times` times.
  void add(const plait_check_type& type, uint64_t times) {
    signature =
        check::join(signature, check::repeat({type.hash, type.elements, type.bytes}, times));
    flags |= type.flags;
    const auto* part = check_entries<plait_check_run>(PLAIT_CHECK_RUNS) + type.first_run;
    if (type.runs == 1) {
      plait_check_run run = *part;
      run.count *= times;
      add(run);
      return;
    }
    for (uint64_t i = 0; i < times && !(flags & PLAIT_CHECK_TYPE_LONG); ++i)
      for (uint32_t k = 0; k < type.runs; ++k) add(part[k]);
  }
};

/// Memory for one level of a type's tree.
class Scratch {
public:
  explicit Scratch(uint64_t bytes) : bytes_(bytes), memory_(bytes ? map_pages(bytes) : nullptr) {}
  ~Scratch() {
    if (memory_) munmap(memory_, bytes_);
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  [[nodiscard]] char* get() const { return static_cast<char*>(memory_); }

private:
  uint64_t bytes_;
  void* memory_;
};

uint64_t hash_of(uint64_t seed, uint64_t value) {
  return (seed ^ value) * 0x9e3779b97f4a7c15u ^ (seed >> 29);
}

/// The index of an equal signature, or of a new one.
uint32_t keep(const Sequence& sequence) {
  uint64_t hash = hash_of(sequence.signature.hash, sequence.signature.elements);
  hash = hash_of(hash_of(hash, sequence.signature.bytes), sequence.flags);
  const uint32_t known = type_of_hash.find(hash);
  if (known != HandleMap::kAbsent) return known;
  auto* type = static_cast<plait_check_type*>(check_append(PLAIT_CHECK_TYPES));
  if (!type) return 0;
  *type = {sequence.signature.hash,
           sequence.signature.elements,
           sequence.signature.bytes,
           sequence.flags,
           0,
           0,
           0};
  const bool wanted = !(sequence.flags & PLAIT_CHECK_TYPE_LONG) && sequence.count > 0;
  void* runs = wanted ? check_append(PLAIT_CHECK_RUNS, sequence.count) : nullptr;
  if (runs) {
    memcpy(runs, sequence.runs, sequence.count * sizeof *sequence.runs);
    type->first_run = check_count(PLAIT_CHECK_RUNS);
    type->runs = sequence.count;
    check_publish(PLAIT_CHECK_RUNS, sequence.count);
  } else {
    type->flags |= PLAIT_CHECK_TYPE_LONG;
  }
  const uint32_t index = check_count(PLAIT_CHECK_TYPES);
  check_publish(PLAIT_CHECK_TYPES);
  type_of_hash.set(hash, index);
  return index;
}

uint32_t keep_name(const char* name) {
  const auto length = strlen(name) + 1;
  auto* text = static_cast<char*>(check_append(PLAIT_CHECK_NAMES, length));
  if (!text) return 0;
  memcpy(text, name, length);
  const uint32_t offset = check_count(PLAIT_CHECK_NAMES);
  check_publish(PLAIT_CHECK_NAMES, length);
  return offset;
}

bool has(const char* name, const char* part) {
  return strstr(name, part) != nullptr;
}

// The kind of value of a basic type, by its name in the standard. Types of equal kind and size
// count as equal: MPI_LONG and MPI_INT64_T, MPI_DOUBLE and MPI_DOUBLE_PRECISION.
const char* kind_of(const char* name) {
  // Pairs for MPI_MINLOC and MPI_MAXLOC: "MPI_2INT", "MPI_DOUBLE_INT".
  const char* underscore = strchr(name + 4, '_');
  const bool pair = name[4] == '2' || (underscore && !strcmp(underscore, "_INT"));
  if (pair && !has(name, "UNSIGNED") && !has(name, "LONG_LONG")) return name;
  if (has(name, "COMPLEX")) return "complex";
  if (has(name, "LOGICAL") || has(name, "BOOL")) return "logical";
  if (has(name, "FLOAT") || has(name, "DOUBLE") || has(name, "REAL")) return "real";
  if (has(name, "UNSIGNED") || has(name, "UINT")) return "unsigned";
  if (has(name, "SIGNED_CHAR")) return "integer";
  if (has(name, "CHAR")) return "character";
  if (has(name, "INT") || has(name, "LONG") || has(name, "SHORT") || has(name, "AINT") ||
      has(name, "OFFSET") || has(name, "COUNT"))
    return "integer";
  return name;
}

uint64_t hash_text(const char* text, uint64_t seed) {
  for (; *text; ++text) seed = (seed ^ static_cast<uint8_t>(*text)) * 0x100000001b3u;
  return seed;
}

uint64_t size_of(MPI_Datatype type) {
  MPI_Count size = 0;
  if (call_real<kFunction_Type_size_x>(type, &size) != MPI_SUCCESS) return 0;
  return size > 0 ? static_cast<uint64_t>(size) : 0;
}

void add_basic(Sequence& sequence, MPI_Datatype type) {
  char name[MPI_MAX_OBJECT_NAME + 1] = "";
  int length = 0;
  call_real<kFunction_Type_get_name>(type, static_cast<char*>(name), &length);
  const uint64_t bytes = size_of(type);
  if (strlen(name) < 5) memcpy(name, "MPI_?", 6);
  if (!strcmp(name, "MPI_BYTE") || !strcmp(name, "MPI_PACKED"))
    sequence.flags |= PLAIT_CHECK_TYPE_BYTES;
  const uint64_t code = hash_text(kind_of(name), 0xcbf29ce484222325u + bytes);
  sequence.signature = check::join(sequence.signature, check::basic_signature(code, bytes));
  sequence.add(plait_check_run{code, 1, keep_name(name), static_cast<uint32_t>(bytes)});
}

// A type that cannot be decomposed. It matches any data with the same number of bytes.
void add_opaque(Sequence& sequence, MPI_Datatype type) {
  const uint64_t bytes = size_of(type);
  sequence.flags |= PLAIT_CHECK_TYPE_BYTES;
  sequence.signature = check::join(sequence.signature, {1, bytes, bytes});
  sequence.add(plait_check_run{1, bytes, 0, 1});
}

uint32_t learn(MPI_Datatype type, int level);

// The parts of a derived type. All types but structures repeat one type; the sizes say how often,
// whatever the layout.
bool add_parts(Sequence& sequence, MPI_Datatype type, int level) {
  int integers = 0, addresses = 0, types = 0, combiner = 0;
  if (call_real<kFunction_Type_get_envelope>(type, &integers, &addresses, &types, &combiner) !=
      MPI_SUCCESS)
    return false;
  if (combiner == MPI_COMBINER_NAMED || combiner == MPI_COMBINER_F90_REAL ||
      combiner == MPI_COMBINER_F90_COMPLEX || combiner == MPI_COMBINER_F90_INTEGER) {
    add_basic(sequence, type);
    return true;
  }
  if (types == 0 || integers < 0 || addresses < 0) return false;
  const uint64_t address_bytes = sizeof(MPI_Aint) * static_cast<uint64_t>(addresses + 1);
  const uint64_t type_bytes = sizeof(MPI_Datatype) * static_cast<uint64_t>(types);
  const uint64_t integer_bytes = sizeof(int) * static_cast<uint64_t>(integers + 1);
  Scratch memory(address_bytes + type_bytes + integer_bytes);
  if (!memory.get()) return false;
  auto* parts = reinterpret_cast<MPI_Datatype*>(memory.get() + address_bytes);
  auto* numbers = reinterpret_cast<int*>(memory.get() + address_bytes + type_bytes);
  if (call_real<kFunction_Type_get_contents>(type, integers, addresses, types, numbers,
                                             reinterpret_cast<MPI_Aint*>(memory.get()),
                                             parts) != MPI_SUCCESS)
    return false;
  bool known = true;
  for (int i = 0; i < types; ++i) {
    const uint32_t index = known && level < kMostLevels ? learn(parts[i], level + 1) : 0;
    known = known && index != 0;
    if (known) {
      const plait_check_type part = check_entries<plait_check_type>(PLAIT_CHECK_TYPES)[index];
      const bool structure = types > 1 || combiner == MPI_COMBINER_STRUCT;
      uint64_t times = part.bytes ? size_of(type) / part.bytes : 0;
      if (structure) times = numbers[i + 1] > 0 ? static_cast<uint64_t>(numbers[i + 1]) : 0;
      sequence.add(part, times);
    }
    int own_integers = 0, own_addresses = 0, own_types = 0, own_combiner = 0;
    call_real<kFunction_Type_get_envelope>(parts[i], &own_integers, &own_addresses, &own_types,
                                           &own_combiner);
    if (own_combiner != MPI_COMBINER_NAMED && own_combiner != MPI_COMBINER_F90_REAL &&
        own_combiner != MPI_COMBINER_F90_COMPLEX && own_combiner != MPI_COMBINER_F90_INTEGER)
      call_real<kFunction_Type_free>(&parts[i]);
  }
  return known;
}

uint32_t learn(MPI_Datatype type, int level) {
  Scratch memory(kMostRuns * sizeof(plait_check_run));
  if (!memory.get()) return 0;
  Sequence sequence;
  sequence.runs = reinterpret_cast<plait_check_run*>(memory.get());
  if (!add_parts(sequence, type, level)) {
    sequence = Sequence{};
    sequence.runs = reinterpret_cast<plait_check_run*>(memory.get());
    add_opaque(sequence, type);
  }
  return keep(sequence);
}

}  // namespace

uint32_t check_type(Word datatype) {
  const auto type = as<MPI_Datatype>(datatype);
  if (type == no_type()) return 0;
  const uint32_t known = type_of_handle.find(datatype);
  if (known != HandleMap::kAbsent) return known;
  const uint32_t index = learn(type, 0);
  type_of_handle.set(datatype, index);
  return index;
}

void forget_check_type(Word datatype) {
  type_of_handle.remove(datatype);
}

}  // namespace plait::preload
