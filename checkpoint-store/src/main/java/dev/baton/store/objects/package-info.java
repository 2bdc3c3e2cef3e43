/** Objects in the object store: runners move the bytes, this package hands out the URLs. */
@NullMarked
package dev.baton.store.objects;

import org.jspecify.annotations.NullMarked;
