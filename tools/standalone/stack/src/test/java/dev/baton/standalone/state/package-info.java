/** Tests of the state of a stack in its data folder. */
@NullMarked
package dev.baton.standalone.state;

import org.jspecify.annotations.NullMarked;
