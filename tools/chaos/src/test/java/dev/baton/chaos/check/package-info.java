/** Tests of the checker: on histories made by hand, and on a recorded one with planted mistakes. */
@NullMarked
package dev.baton.chaos.check;

import org.jspecify.annotations.NullMarked;
