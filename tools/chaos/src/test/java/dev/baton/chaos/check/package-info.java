/** Tests of the checker: on synthetic histories, and on a recorded one with planted bugs. */
@NullMarked
package dev.baton.chaos.check;

import org.jspecify.annotations.NullMarked;
