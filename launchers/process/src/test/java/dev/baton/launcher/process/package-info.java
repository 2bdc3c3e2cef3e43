@NullMarked
package dev.baton.launcher.process;

import org.jspecify.annotations.NullMarked;
