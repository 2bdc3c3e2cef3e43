/** Tests of the drivers, with the real programs where they are installed. */
@NullMarked
package dev.baton.agent;

import org.jspecify.annotations.NullMarked;
