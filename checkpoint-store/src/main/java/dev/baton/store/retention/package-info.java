/** Which checkpoints are kept, and the deletion of the others. */
@NullMarked
package dev.baton.store.retention;

import org.jspecify.annotations.NullMarked;
