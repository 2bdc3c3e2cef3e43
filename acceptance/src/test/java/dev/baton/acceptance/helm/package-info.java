/** Checks of the Helm charts, with the real Helm. */
@NullMarked
package dev.baton.acceptance.helm;

import org.jspecify.annotations.NullMarked;
