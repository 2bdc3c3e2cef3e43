/** Creates what must exist before the first record is read: topics and the bucket. */
@NullMarked
package dev.baton.store.startup;

import org.jspecify.annotations.NullMarked;
