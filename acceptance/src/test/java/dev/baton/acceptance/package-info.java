/**
 * Tests of the whole system against real processes: nothing in here uses Baton's own classes except
 * to start and kill a stack.
 */
@NullMarked
package dev.baton.acceptance;

import org.jspecify.annotations.NullMarked;
