// SPDX-License-Identifier: BSD-3-Clause
// Decomposes datatypes with MPI_Type_get_envelope and _contents, and keeps their signatures.
#include "preload/check/types.hpp"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include "preload/calls/envelope.hpp"
#include "preload/calls/functions.hpp"
#include "preload/calls/quiet_errors.hpp"
#include "preload/check/log.hpp"
#include "preload/handle_map.hpp"
#include "trace/check_signature.hpp"

namespace plait::preload {
namespace {

using check::Signature;

// Types are learnt from the arguments of the call that makes them. Only those that no observed call
// made are decomposed by MPI, as deep as this.
constexpr int kMostLevels = 64;
// A part with at most this many parts of its own is replaced by these.
constexpr uint32_t kShort = 8;
constexpr uint64_t kMostInlined = 64;  // parts of a type whose parts may be replaced

HandleMap type_of_handle, type_of_hash;
HandleMap made_types;  // that the program was seen to make

// A type that is valid without any doubt, so that MPI can be asked.
bool is_surely_valid(Word datatype) {
#if defined(PLAIT_FAMILY_OPENMPI)
  Dl_info object;  // predefined types are data of the library or of the program
  const bool predefined = dladdr(reinterpret_cast<void*>(datatype), &object) != 0;
#elif defined(PLAIT_FAMILY_MPICH)
  // Basic types, and pairs such as MPI_DOUBLE_INT.
  const bool predefined = datatype >> 30 == 1 || (datatype >= 0x8c000000 && datatype <= 0x8c000004);
#else
  const bool predefined = datatype < 4096;
#endif
  return predefined || made_types.find(datatype) != HandleMap::kAbsent;
}

/// Memory for one level of a type's tree.
class Scratch {
public:
  explicit Scratch(uint64_t bytes)
      : bytes_(bytes <= sizeof own_ ? 0 : bytes),
        memory_(bytes_ ? static_cast<char*>(map_pages(bytes_)) : static_cast<char*>(own_)) {}
  ~Scratch() {
    if (bytes_ && memory_) munmap(memory_, bytes_);
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  [[nodiscard]] char* get() const { return memory_; }

private:
  alignas(16) char own_[128];
  uint64_t bytes_;
  char* memory_;
};

uint64_t hash_of(uint64_t seed, uint64_t value) {
  return (seed ^ value) * 0x9e3779b97f4a7c15u ^ (seed >> 29);
}

const plait_check_type& type_at(uint32_t index) {
  return check_entries<plait_check_type>(PLAIT_CHECK_TYPES)[index];
}

/// The index of an equal type, or of a new one; 0 without room. The type's parts were appended, and
/// are published if it is new.
uint32_t keep(const plait_check_type& type) {
  uint64_t hash = hash_of(hash_of(type.hash, type.elements), type.bytes);
  hash = hash_of(hash_of(hash, type.flags), type.name);
  const uint32_t known = type_of_hash.find(hash);
  if (known != HandleMap::kAbsent) return known;
  auto* made = static_cast<plait_check_type*>(check_append(PLAIT_CHECK_TYPES));
  if (!made) return 0;
  *made = type;
  made->first_part = check_count(PLAIT_CHECK_PARTS);
  if (type.parts) check_publish(PLAIT_CHECK_PARTS, type.parts);
  const uint32_t index = check_count(PLAIT_CHECK_TYPES);
  check_publish(PLAIT_CHECK_TYPES);
  type_of_hash.set(hash, index);
  return index;
}

uint64_t hash_text(const char* text, uint64_t seed) {
  for (; *text; ++text) seed = (seed ^ static_cast<uint8_t>(*text)) * 0x100000001b3u;
  return seed;
}

/// A type under construction from its parts, which it appends to PARTS. Nothing else may be
/// appended there meanwhile.
class Sequence {
public:
  explicit Sequence(uint64_t parts)
      : inlines_(parts <= kMostInlined),
        room_(inlines_ ? parts * kShort : parts),
        parts_(room_ ? static_cast<plait_check_part*>(check_append(PLAIT_CHECK_PARTS, room_))
                     : nullptr) {}

  /// Adds the type `times` times.
  void add(uint32_t index, uint64_t times) {
    const plait_check_type& type = type_at(index);
    if (type.elements == 0 || times == 0) return;
    signature_ =
        check::join(signature_, check::repeat({type.hash, type.elements, type.bytes}, times));
    flags_ |= type.flags & PLAIT_CHECK_TYPE_BYTES;
    const auto* own = check_entries<plait_check_part>(PLAIT_CHECK_PARTS) + type.first_part;
    const bool replace = type.parts == 1 || (inlines_ && times == 1 && type.parts <= kShort);
    if (!type.parts || !replace) return push(index, times);
    for (uint32_t i = 0; i < type.parts; ++i) push(own[i].type, own[i].times * times);
  }

  /// The type's index; 0 without room.
  [[nodiscard]] uint32_t keep() const {
    if (room_ && !parts_) return 0;
    if (count_ == 1 && parts_[0].times == 1) return parts_[0].type;
    plait_check_type type = {};
    type.hash = signature_.hash;
    type.elements = signature_.elements;
    type.bytes = signature_.bytes;
    type.flags = flags_;
    type.parts = count_;
    return preload::keep(type);
  }

private:
  void push(uint32_t index, uint64_t times) {
    if (!parts_) return;
    if (count_ && parts_[count_ - 1].type == index) {
      parts_[count_ - 1].times += times;
    } else {
      parts_[count_++] = {times, index, 0};
    }
  }

  bool inlines_;
  uint64_t room_;
  plait_check_part* parts_;
  check::Signature signature_;
  uint32_t flags_ = 0;
  uint32_t count_ = 0;
};

bool has(const char* name, const char* part) {
  return strstr(name, part) != nullptr;
}

// The kind of value of a basic type, by its name in the standard. Types of equal kind and size
// count as equal: MPI_LONG and MPI_INT64_T, MPI_DOUBLE and MPI_DOUBLE_PRECISION.
const char* kind_of(const char* name) {
  if (name[4] == '2') return name;  // "MPI_2COMPLEX"
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

uint64_t size_of(MPI_Datatype type) {
  MPI_Count size = 0;
  if (call_real<kFunction_Type_size_x>(type, &size) != MPI_SUCCESS) return 0;
  return size > 0 ? static_cast<uint64_t>(size) : 0;
}

uint32_t keep_basic(const char* kind, uint64_t bytes, const char* name) {
  const uint64_t code = hash_text(kind, 0xcbf29ce484222325u + bytes);
  const check::Signature signature = check::basic_signature(code, bytes);
  plait_check_type type = {};
  type.hash = signature.hash;
  type.elements = 1;
  type.bytes = bytes;
  type.flags = PLAIT_CHECK_TYPE_BASIC;
  if (!strcmp(name, "MPI_BYTE") || !strcmp(name, "MPI_PACKED"))
    type.flags |= PLAIT_CHECK_TYPE_BYTES;
  type.name = keep_check_name(name);
  return keep(type);
}

/// A pair for MPI_MINLOC and MPI_MAXLOC: by the standard, a structure of a value and an index.
struct Pair {
  const char *name, *kind, *first, *second;
  uint64_t index_bytes;  // 0: as many as the value has
};

const Pair* pair_of(const char* name) {
  static const Pair pairs[] = {
      {"MPI_FLOAT_INT", "real", "MPI_FLOAT", "MPI_INT", sizeof(int)},
      {"MPI_DOUBLE_INT", "real", "MPI_DOUBLE", "MPI_INT", sizeof(int)},
      {"MPI_LONG_DOUBLE_INT", "real", "MPI_LONG_DOUBLE", "MPI_INT", sizeof(int)},
      {"MPI_SHORT_INT", "integer", "MPI_SHORT", "MPI_INT", sizeof(int)},
      {"MPI_LONG_INT", "integer", "MPI_LONG", "MPI_INT", sizeof(int)},
      {"MPI_2INT", "integer", "MPI_INT", "MPI_INT", 0},
      {"MPI_2INTEGER", "integer", "MPI_INTEGER", "MPI_INTEGER", 0},
      {"MPI_2REAL", "real", "MPI_REAL", "MPI_REAL", 0},
      {"MPI_2DOUBLE_PRECISION", "real", "MPI_DOUBLE_PRECISION", "MPI_DOUBLE_PRECISION", 0}};
  for (const Pair& pair : pairs)
    if (!strcmp(pair.name, name)) return &pair;
  return nullptr;
}

uint32_t keep_pair(const Pair& pair, uint64_t bytes) {
  const uint64_t index_bytes = pair.index_bytes ? pair.index_bytes : bytes / 2;
  const char* const kind = pair.index_bytes ? "integer" : pair.kind;
  const uint32_t value = keep_basic(pair.kind, bytes - index_bytes, pair.first);
  const uint32_t index = keep_basic(kind, index_bytes, pair.second);
  if (!value || !index) return 0;
  Sequence sequence(2);
  sequence.add(value, 1);
  sequence.add(index, 1);
  return sequence.keep();
}

uint32_t learn_named(MPI_Datatype type, int combiner) {
  char name[MPI_MAX_OBJECT_NAME + 1] = "";
  int length = 0;
  call_real<kFunction_Type_get_name>(type, static_cast<char*>(name), &length);
  const uint64_t bytes = size_of(type);
  // MPI_LB and MPI_UB are marks, not data.
  if (bytes == 0) return Sequence(0).keep();
  const char* kind = combiner == MPI_COMBINER_F90_REAL      ? "real"
                     : combiner == MPI_COMBINER_F90_COMPLEX ? "complex"
                     : combiner == MPI_COMBINER_F90_INTEGER ? "integer"
                                                            : nullptr;
  if (strlen(name) < 5) memcpy(name, "MPI_?", 6);
  if (kind) return keep_basic(kind, bytes, static_cast<char*>(name));
  if (const Pair* pair = pair_of(static_cast<char*>(name))) return keep_pair(*pair, bytes);
  return keep_basic(kind_of(static_cast<char*>(name)), bytes, static_cast<char*>(name));
}

// A type that cannot be decomposed. It matches any data with the same number of bytes.
uint32_t keep_opaque(MPI_Datatype type) {
  ++check_file->opaque_types;
  plait_check_type opaque = {};
  opaque.hash = 1;
  opaque.elements = opaque.bytes = size_of(type);
  opaque.flags = PLAIT_CHECK_TYPE_BYTES | PLAIT_CHECK_TYPE_OPAQUE;
  return keep(opaque);
}

/// The arguments of the function that made a type.
class Contents {
public:
  Contents(MPI_Datatype type, const Envelope& envelope)
      : envelope_(envelope),
        types_(envelope.types * sizeof(MPI_Datatype)),
        indices_(envelope.types * sizeof(uint32_t)),
        integers_(envelope.integers * sizeof(int)),
        addresses_(envelope.addresses * sizeof(MPI_Aint)),
        counts_(envelope.counts * sizeof(MPI_Count)) {
    if (!types_.get() || !indices_.get() || !integers_.get() || !addresses_.get() || !counts_.get())
      return;
    auto* integers = reinterpret_cast<int*>(integers_.get());
    auto* addresses = reinterpret_cast<MPI_Aint*>(addresses_.get());
#if !defined(PLAIT_FAMILY_OPENMPI)
    if (envelope.counts) {
      known_ = call_real<kFunction_Type_get_contents_c>(
                   type, envelope.integers, envelope.addresses, envelope.counts, envelope.types,
                   integers, addresses, reinterpret_cast<MPI_Count*>(counts_.get()),
                   types()) == MPI_SUCCESS;
      return;
    }
#endif
    known_ = call_real<kFunction_Type_get_contents>(
                 type, static_cast<int>(envelope.integers), static_cast<int>(envelope.addresses),
                 static_cast<int>(envelope.types), integers, addresses, types()) == MPI_SUCCESS;
  }
  [[nodiscard]] bool known() const {
    return known_;
  }
  [[nodiscard]] MPI_Datatype* types() const {
    return reinterpret_cast<MPI_Datatype*>(types_.get());
  }
  /// Room for the index of each type.
  [[nodiscard]] uint32_t* indices() const {
    return reinterpret_cast<uint32_t*>(indices_.get());
  }
  /// How often a structure has its i-th type.
  [[nodiscard]] uint64_t length(MPI_Count i) const {
    const MPI_Count found = envelope_.counts
                                ? reinterpret_cast<const MPI_Count*>(counts_.get())[i + 1]
                                : reinterpret_cast<const int*>(integers_.get())[i + 1];
    return found > 0 ? static_cast<uint64_t>(found) : 0;
  }

private:
  const Envelope& envelope_;
  Scratch types_, indices_, integers_, addresses_, counts_;
  bool known_ = false;
};

uint32_t learn(MPI_Datatype type, int level);

uint32_t learn_part(MPI_Datatype type, int level) {
  const uint32_t known = type_of_handle.find(word_of(type));
  return known != HandleMap::kAbsent ? known : learn(type, level + 1);
}

void free_part(MPI_Datatype type) {
  Envelope envelope;
  if (ask_envelope(type, &envelope) && !envelope.is_named()) call_real<kFunction_Type_free>(&type);
}

// The index of a derived type; 0 when it cannot be decomposed. All types but structures repeat one
// type; the sizes say how often, whatever the layout.
uint32_t learn_parts(MPI_Datatype type, const Envelope& envelope, int level) {
  if (envelope.types <= 0 || level >= kMostLevels) return 0;
  const Contents contents(type, envelope);
  if (!contents.known()) return 0;
  uint32_t* const indices = contents.indices();
  bool known = true;
  for (MPI_Count i = 0; i < envelope.types; ++i) {
    indices[i] = known ? learn_part(contents.types()[i], level) : 0;
    known = known && indices[i] != 0;
    free_part(contents.types()[i]);
  }
  if (!known) return 0;
  Sequence sequence(static_cast<uint64_t>(envelope.types));
  for (MPI_Count i = 0; i < envelope.types; ++i) {
    const uint64_t bytes = type_at(indices[i]).bytes;
    const uint64_t repeated = bytes ? size_of(type) / bytes : 0;
    sequence.add(indices[i], envelope.types > 1 ? contents.length(i) : repeated);
  }
  return sequence.keep();
}

uint32_t learn(MPI_Datatype type, int level) {
  Envelope envelope;
  if (!ask_envelope(type, &envelope)) return keep_opaque(type);
  if (envelope.is_named()) return learn_named(type, envelope.combiner);
  const uint32_t index = learn_parts(type, envelope, level);
  return index || check_file->ops_before_limit ? index : keep_opaque(type);
}

// A type made of copies of another.
uint32_t repeated(MPI_Datatype type, Word old) {
  const uint32_t index = check_type(old);
  if (!index) return 0;
  const uint64_t bytes = type_at(index).bytes;
  Sequence sequence(1);
  sequence.add(index, bytes ? size_of(type) / bytes : 0);
  return sequence.keep();
}

uint64_t length_at(const Arguments& given, MPI_Count i) {
  const MPI_Count length = given.large
                               ? static_cast<const MPI_Count*>(given.array_of_blocklengths)[i]
                               : static_cast<const int*>(given.array_of_blocklengths)[i];
  return length > 0 ? static_cast<uint64_t>(length) : 0;
}

uint32_t structure(const Arguments& given) {
  if (!given.array_of_blocklengths || given.count < 0) return 0;
  // First, because learning a type appends to the file.
  for (MPI_Count i = 0; i < given.count; ++i)
    if (length_at(given, i) && !check_type(word_of(given.array_of_types[i]))) return 0;
  Sequence sequence(static_cast<uint64_t>(given.count));
  for (MPI_Count i = 0; i < given.count; ++i)
    if (const uint64_t length = length_at(given, i))
      sequence.add(check_type(word_of(given.array_of_types[i])), length);
  return sequence.keep();
}

}  // namespace

uint32_t check_type(Word datatype) {
  if (!may_be_type(datatype)) return 0;
  const uint32_t known = type_of_handle.find(datatype);
  if (known != HandleMap::kAbsent) return known;
  const QuietErrors quiet(!is_surely_valid(datatype));
  const uint32_t index = learn(as<MPI_Datatype>(datatype), 0);
  type_of_handle.set(datatype, index);
  return index;
}

void keep_check_type(Word datatype) {
  made_types.set(datatype, 1);
}

void forget_check_type(Word datatype) {
  type_of_handle.remove(datatype);
  made_types.remove(datatype);
}

void learn_made_type(Word datatype, const Arguments& given) {
  forget_check_type(datatype);
  const uint32_t index = given.oldtype ? repeated(as<MPI_Datatype>(datatype), given.oldtype)
                         : given.array_of_types ? structure(given)
                                                : 0;
  if (index) type_of_handle.set(datatype, index);
}

}  // namespace plait::preload
