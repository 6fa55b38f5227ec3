/* SPDX-License-Identifier: BSD-3-Clause */
/* The part of OMPT (OpenMP 5.0, chapter 4) that Plait uses: not every system has omp-tools.h. */
#ifndef PLAIT_PRELOAD_OMPT_TYPES_H
#define PLAIT_PRELOAD_OMPT_TYPES_H

#include <stdint.h>

typedef union ompt_data_t {
  uint64_t value;
  void* ptr;
} ompt_data_t;

typedef struct ompt_frame_t {
  ompt_data_t exit_frame;
  ompt_data_t enter_frame; /* of the runtime's function that the task called */
  int exit_frame_flags;
  int enter_frame_flags;
} ompt_frame_t;

typedef void (*ompt_interface_fn_t)(void);
typedef ompt_interface_fn_t (*ompt_function_lookup_t)(const char* name);
typedef int (*ompt_initialize_t)(ompt_function_lookup_t lookup, int initial_device_num,
                                 ompt_data_t* tool_data);
typedef void (*ompt_finalize_t)(ompt_data_t* tool_data);

typedef struct ompt_start_tool_result_t {
  ompt_initialize_t initialize;
  ompt_finalize_t finalize;
  ompt_data_t tool_data;
} ompt_start_tool_result_t;

typedef void (*ompt_callback_t)(void);
typedef int (*ompt_set_callback_t)(int event, ompt_callback_t callback);

enum { ompt_set_always = 5 };

enum { /* ompt_callbacks_t */
       ompt_callback_parallel_begin = 3,
       ompt_callback_parallel_end = 4,
       ompt_callback_task_schedule = 6,
       ompt_callback_implicit_task = 7,
       ompt_callback_sync_region_wait = 16,
       ompt_callback_mutex_acquire = 26,
       ompt_callback_mutex_acquired = 27,
       ompt_callback_nest_lock = 28
};

enum { ompt_scope_begin = 1, ompt_scope_end = 2 }; /* ompt_scope_endpoint_t */

enum { ompt_parallel_league = 0x40000000 }; /* of a parallel region's flags: a teams construct */
enum { ompt_task_implicit = 2 };            /* of an implicit task's flags: not an initial task */
enum { ompt_sync_region_reduction = 7 };
enum { ompt_mutex_test_lock = 2, ompt_mutex_test_nest_lock = 4 };

#endif /* PLAIT_PRELOAD_OMPT_TYPES_H */
