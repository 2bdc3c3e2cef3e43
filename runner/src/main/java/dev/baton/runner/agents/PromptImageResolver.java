/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.agents;

import dev.baton.protocol.expression.ExpressionException;
import dev.baton.protocol.expression.ExpressionScope;
import dev.baton.protocol.expression.Template;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Resolves the paths of a prompt's images in the workspace. A file outside of it is refused, since
 * its content would reach a model.
 *
 * @param workspace as the runner sees it
 */
public record PromptImageResolver(Path workspace) {
  /**
   * Returns absolute paths of existing files.
   *
   * @param images relative to the workspace
   * @throws IOException when one does not exist, or leaves the workspace by {@code ..} or a link;
   *     names it
   * @throws ExpressionException when a template fails
   */
  public List<Path> resolve(List<Template> images, ExpressionScope scope) throws IOException {
    List<Path> files = new ArrayList<>();
    for (Template image : images) {
      files.add(file(image.render(scope)));
    }
    return files;
  }

  private Path file(String name) throws IOException {
    Path file;
    try {
      file = workspace.resolve(name).normalize();
    } catch (InvalidPathException e) {
      throw new IOException("image '" + name + "' is not a path: " + e.getReason(), e);
    }
    if (!file.startsWith(workspace)) {
      throw new IOException("image '" + name + "' is not in the workspace");
    }
    if (!Files.isRegularFile(file)) {
      throw new IOException("image '" + name + "' does not exist in the workspace");
    }
    Path real = file.toRealPath();
    if (!real.startsWith(workspace.toRealPath())) {
      throw new IOException("image '" + name + "' is a link out of the workspace");
    }
    return real;
  }
}
