/** For tests: checks of every launcher, and launchers with planted faults. */
@NullMarked
package dev.baton.launcher.testkit;

import org.jspecify.annotations.NullMarked;
