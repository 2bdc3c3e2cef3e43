/** The stream to the orchestrator: assignments, answers and commands in, releases out. */
@NullMarked
package dev.baton.runner.attach;

import org.jspecify.annotations.NullMarked;
