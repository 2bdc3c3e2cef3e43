/** The object store: the bucket, and the names of what is in it. */
@NullMarked
package dev.baton.store.objects;

import org.jspecify.annotations.NullMarked;
