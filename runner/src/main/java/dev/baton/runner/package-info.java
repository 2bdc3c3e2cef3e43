/** The process that executes runs: what starts and ends it, and which runs it carries. */
@NullMarked
package dev.baton.runner;

import org.jspecify.annotations.NullMarked;
