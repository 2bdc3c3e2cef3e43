@NullMarked
package dev.baton.acceptance;

import org.jspecify.annotations.NullMarked;
