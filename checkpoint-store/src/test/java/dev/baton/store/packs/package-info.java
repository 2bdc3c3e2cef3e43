@NullMarked
package dev.baton.store.packs;

import org.jspecify.annotations.NullMarked;
