@NullMarked
package dev.baton.cli;

import org.jspecify.annotations.NullMarked;
