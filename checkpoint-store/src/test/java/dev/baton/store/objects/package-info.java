@NullMarked
package dev.baton.store.objects;

import org.jspecify.annotations.NullMarked;
