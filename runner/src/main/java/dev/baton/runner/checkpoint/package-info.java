/**
 * Content of a checkpoint other than the workspace: each contributor adds its part to the manifest,
 * and one that fails is recorded there with its error.
 */
@NullMarked
package dev.baton.runner.checkpoint;

import org.jspecify.annotations.NullMarked;
