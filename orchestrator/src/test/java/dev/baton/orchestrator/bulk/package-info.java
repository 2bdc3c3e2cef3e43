/** Tests of this package. */
@NullMarked
package dev.baton.orchestrator.bulk;

import org.jspecify.annotations.NullMarked;
