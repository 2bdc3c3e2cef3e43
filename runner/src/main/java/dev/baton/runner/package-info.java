@NullMarked
package dev.baton.runner;

import org.jspecify.annotations.NullMarked;
