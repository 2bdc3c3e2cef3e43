/**
 * Starts Baton's servers and services on one machine, each as a separate process, and supervises
 * them: the stack behind {@code baton up}, {@code baton demo} and the tests.
 */
@NullMarked
package dev.baton.standalone;

import org.jspecify.annotations.NullMarked;
