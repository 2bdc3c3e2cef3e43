/** Starts runners as pods of a Kubernetes cluster, watches their ends and deletes them. */
@NullMarked
package dev.baton.launcher.kubernetes;

import org.jspecify.annotations.NullMarked;
