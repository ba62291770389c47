/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test.h - cmocka with all that it wants included before it. */
#ifndef TESTS_LIB_TEST_H
#define TESTS_LIB_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#endif
