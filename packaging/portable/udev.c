/* SPDX-License-Identifier: BSD-3-Clause */
/* Stands in for libudev, which has no static library. hwloc asks it for the models and types of
 * disks only, and reads /run/udev itself if udev_new() returns NULL (hwloc 2, topology-linux.c). */
#include <stddef.h>

struct udev;
struct udev_device;

struct udev* udev_new(void) {
  return NULL;
}

struct udev* udev_unref(struct udev* udev) {
  (void)udev;
  return NULL;
}

struct udev_device* udev_device_new_from_subsystem_sysname(struct udev* udev, const char* subsystem,
                                                           const char* sysname) {
  (void)udev;
  (void)subsystem;
  (void)sysname;
  return NULL;
}

struct udev_device* udev_device_unref(struct udev_device* device) {
  (void)device;
  return NULL;
}

const char* udev_device_get_property_value(struct udev_device* device, const char* key) {
  (void)device;
  (void)key;
  return NULL;
}
