/** Tests of the Kubernetes launcher. */
@NullMarked
package dev.baton.launcher.kubernetes;

import org.jspecify.annotations.NullMarked;
