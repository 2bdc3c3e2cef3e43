/** Tests of schedules. */
@NullMarked
package dev.baton.chaos.fault;

import org.jspecify.annotations.NullMarked;
