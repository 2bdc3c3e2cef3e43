/**
 * Tests of the whole system with real processes: they use Baton's own classes only to start and
 * kill a stack.
 */
@NullMarked
package dev.baton.acceptance;

import org.jspecify.annotations.NullMarked;
