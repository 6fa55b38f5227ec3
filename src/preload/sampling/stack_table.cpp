// SPDX-License-Identifier: BSD-3-Clause
// Adds stacks to a table of samples and counts them.
#include "preload/sampling/stack_table.hpp"

#include <string.h>

#include "preload/recorder.hpp"
#include "preload/sampling/sample_file.hpp"

namespace plait::preload::sampling {

namespace {

struct Section {
  uint32_t entry_bytes, capacity;  // of the first part
};
constexpr Section kSections[PLAIT_SAMPLE_SECTIONS] = {
    {sizeof(plait_stack_node), 256},
    {sizeof(plait_sample_count), 64},
    {sizeof(plait_python_line), 32},
    {sizeof(plait_sample_module), 32},
    {1, 2048},
    {sizeof(plait_sampled_thread), 8},
    {sizeof(plait_sample_time), 256},
};

uint64_t mixed(uint64_t a, uint64_t b) {
  uint64_t hash = (a ^ (b << 32 | b >> 32)) * 0x9e3779b97f4a7c15u;
  return hash ^ hash >> 29;
}

bool make_parts(StackTable* table, plait_sample_section section, uint32_t number) {
  if (number >= PLAIT_MOST_PARTS) return false;
  plait_section_header& header = table->file->sections[section];
  while (table->parts[section] <= number) {
    const uint32_t next = table->parts[section];
    const uint64_t entries = next ? uint64_t{header.capacity} << (next - 1) : header.capacity;
    uint64_t offset = 0;
    const uint64_t bytes = entries * header.entry_bytes;
    const bool fits = section == PLAIT_SAMPLE_TIMES ? take_time_room(bytes, &offset)
                                                    : take_sample_room(bytes, &offset);
    if (!fits) return false;
    __atomic_store_n(next ? &header.more[next - 1] : &header.offset, offset, __ATOMIC_RELEASE);
    table->parts[section] = next + 1;
  }
  return true;
}

uint32_t add_text(StackTable* table, const char* text) {
  const uint64_t bytes = strlen(text) + 1;
  uint32_t at = 0;
  auto* copy = static_cast<char*>(append_sample(table, PLAIT_SAMPLE_TEXT, bytes, &at));
  if (!copy) return 0;
  memcpy(copy, text, bytes);
  publish_sample(table, PLAIT_SAMPLE_TEXT, at + static_cast<uint32_t>(bytes));
  return at;
}

/// Notes the module of an address, which is needed to name it later.
void learn_module(StackTable* table, uint64_t pc) {
  if (pc >= table->module_seen[0] && pc < table->module_seen[1]) return;
  Object object;
  if (!find_object(pc, &object)) return;
  table->module_seen[0] = object.start;
  table->module_seen[1] = object.end;
  const uint32_t count = table->file->sections[PLAIT_SAMPLE_MODULES].count;
  for (uint32_t i = count; i > 0; --i) {
    const auto* known = sample_entry<plait_sample_module>(*table, PLAIT_SAMPLE_MODULES, i - 1);
    if (known->start == object.start && known->end == object.end && known->bias == object.bias)
      return;
  }
  uint32_t index = 0;
  auto* module =
      static_cast<plait_sample_module*>(append_sample(table, PLAIT_SAMPLE_MODULES, 1, &index));
  if (!module) return;
  *module = {object.start, object.end, object.bias, add_text(table, object.name), 0};
  publish_sample(table, PLAIT_SAMPLE_MODULES, index + 1);
}

}  // namespace

char* sample_part(const StackTable& table, plait_sample_section section, uint64_t* index) {
  const plait_section_header& header = table.file->sections[section];
  const plait_part part = plait_part_of(header.capacity, *index);
  *index -= part.first;
  return reinterpret_cast<char*>(file_header) +
         (part.number ? header.more[part.number - 1] : header.offset);
}

void* append_sample(StackTable* table, plait_sample_section section, uint64_t entries,
                    uint32_t* index) {
  plait_section_header& header = table->file->sections[section];
  uint64_t at = header.count;
  plait_part part = plait_part_of(header.capacity, at);
  while (at + entries > part.first + part.room && part.number < PLAIT_MOST_PARTS) {
    at = part.first + part.room;
    part = plait_part_of(header.capacity, at);
  }
  if (at + entries > UINT32_MAX || !make_parts(table, section, part.number)) {
    ++header.lost;
    return nullptr;
  }
  *index = static_cast<uint32_t>(at);
  uint64_t within = at;
  char* memory = sample_part(*table, section, &within);
  return memory + within * header.entry_bytes;
}

void publish_sample(StackTable* table, plait_sample_section section, uint32_t end) {
  __atomic_store_n(&table->file->sections[section].count, end, __ATOMIC_RELEASE);
}

bool open_table(StackTable* table) {
  uint64_t offset = 0;
  char* place = take_sample_room(sizeof(plait_sample_table), &offset);
  if (!place) return false;
  table->file = reinterpret_cast<plait_sample_table*>(place);
  for (int i = 0; i < PLAIT_SAMPLE_SECTIONS; ++i) {
    table->file->sections[i].entry_bytes = kSections[i].entry_bytes;
    table->file->sections[i].capacity = kSections[i].capacity;
  }
  // The entries with a meaning of their own.
  uint32_t first = 0;
  if (!append_sample(table, PLAIT_SAMPLE_NODES, 2, &first)) return false;
  publish_sample(table, PLAIT_SAMPLE_NODES, 2);
  constexpr plait_sample_section kOthers[] = {PLAIT_SAMPLE_COUNTS, PLAIT_SAMPLE_LINES,
                                              PLAIT_SAMPLE_TEXT};
  for (const plait_sample_section section : kOthers) {
    if (!append_sample(table, section, 1, &first)) return false;
    publish_sample(table, section, 1);
  }
  const uint32_t number = __atomic_load_n(&file_header->tables, __ATOMIC_RELAXED);
  if (number >= PLAIT_MOST_SAMPLE_TABLES) return false;
  file_header->table_offsets[number] = offset;
  __atomic_store_n(&file_header->tables, number + 1, __ATOMIC_RELEASE);
  return true;
}

uint32_t child_node(StackTable* table, uint32_t parent, uint64_t pc) {
  uint32_t& head = table->node_heads[mixed(pc, parent) >> 52];
  for (uint32_t at = head; at;) {
    const auto* node = sample_entry<plait_stack_node>(*table, PLAIT_SAMPLE_NODES, at);
    if (node->pc == pc && node->parent == parent) return at;
    at = node->next;
  }
  if (!(pc & PLAIT_PYTHON_FRAME)) learn_module(table, pc & ~PLAIT_EXACT_ADDRESS);
  uint32_t index = 0;
  auto* made = static_cast<plait_stack_node*>(append_sample(table, PLAIT_SAMPLE_NODES, 1, &index));
  if (!made) return 0;
  *made = {pc, parent, head};
  publish_sample(table, PLAIT_SAMPLE_NODES, index + 1);
  head = index;
  return index;
}

uint32_t line_entry(StackTable* table, const PythonLine& line) {
  const auto code = reinterpret_cast<uint64_t>(line.code);
  uint32_t& head = table->line_heads[mixed(code, static_cast<uint64_t>(line.position)) >> 56];
  for (uint32_t at = head; at;) {
    const auto* known = sample_entry<plait_python_line>(*table, PLAIT_SAMPLE_LINES, at);
    if (known->code == code && known->position == line.position) return known->text ? at : 0;
    at = known->next;
  }
  const bool named = python_text(line, table->text, sizeof table->text);
  uint32_t index = 0;
  auto* made = static_cast<plait_python_line*>(append_sample(table, PLAIT_SAMPLE_LINES, 1, &index));
  if (!made) return 0;
  *made = {code, 0, line.position, named ? add_text(table, table->text) : 0, head};
  publish_sample(table, PLAIT_SAMPLE_LINES, index + 1);
  head = index;
  return made->text ? index : 0;
}

plait_sample_count* counter(StackTable* table, uint32_t node, uint32_t thread, uint32_t region,
                            uint32_t state, uint32_t* index) {
  const uint64_t rest = uint64_t{thread} << 34 | uint64_t{region} << 2 | state;
  uint32_t& head = table->count_heads[mixed(node, rest) >> 54];
  for (uint32_t at = head; at;) {
    auto* known = sample_entry<plait_sample_count>(*table, PLAIT_SAMPLE_COUNTS, at);
    if (known->node == node && known->thread == thread && known->region == region &&
        known->state == state) {
      *index = at;
      return known;
    }
    at = known->next;
  }
  auto* made =
      static_cast<plait_sample_count*>(append_sample(table, PLAIT_SAMPLE_COUNTS, 1, index));
  if (!made) return nullptr;
  *made = {0, node, thread, region, state, head, 0, 0};
  publish_sample(table, PLAIT_SAMPLE_COUNTS, *index + 1);
  head = *index;
  return made;
}

void add_time(StackTable* table, uint64_t ticks, uint32_t count, uint32_t samples) {
  uint32_t index = 0;
  auto* made = static_cast<plait_sample_time*>(append_sample(table, PLAIT_SAMPLE_TIMES, 1, &index));
  if (!made) return;
  *made = {ticks, count, samples};
  publish_sample(table, PLAIT_SAMPLE_TIMES, index + 1);
}

}  // namespace plait::preload::sampling
