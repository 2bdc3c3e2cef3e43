/** The object store: the client of the bucket and the names of its objects. */
@NullMarked
package dev.baton.store.objects;

import org.jspecify.annotations.NullMarked;
