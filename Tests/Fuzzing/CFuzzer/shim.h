#pragma once
#include <stddef.h>
#include <stdint.h>
// libFuzzer's loop: SwiftPM gives an executable a main of its own, so libFuzzer's is not used.
int LLVMFuzzerRunDriver(int *argc, char ***argv, int (*callback)(const uint8_t *data, size_t size));
