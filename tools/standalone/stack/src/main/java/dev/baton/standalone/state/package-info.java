/** The state that a stack stores in its data folder, and the lock on that folder. */
@NullMarked
package dev.baton.standalone.state;

import org.jspecify.annotations.NullMarked;
