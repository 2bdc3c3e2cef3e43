/**
 * {@code baton chaos}: injects faults, records a history, checks it. Runs as a separate program.
 */
@NullMarked
package dev.baton.cli.chaos;

import org.jspecify.annotations.NullMarked;
