@NullMarked
package dev.baton.launcher;

import org.jspecify.annotations.NullMarked;
