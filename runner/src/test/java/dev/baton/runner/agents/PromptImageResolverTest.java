/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.agents;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.NullNode;
import dev.baton.protocol.expression.ExpressionScope;
import dev.baton.protocol.expression.Template;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PromptImageResolverTest {
  private static final ExpressionScope SCOPE =
      ExpressionScope.of(
          NullNode.getInstance(),
          JsonNodeFactory.instance.objectNode(),
          JsonNodeFactory.instance.objectNode());

  @TempDir Path folder;

  private List<Path> resolve(String image) throws Exception {
    Path workspace = Files.createDirectories(folder.resolve("workspace"));
    return new PromptImageResolver(workspace).resolve(List.of(Template.compile(image)), SCOPE);
  }

  @Test
  void shouldFindAFileOfTheWorkspace() throws Exception {
    Path file = Files.createDirectories(folder.resolve("workspace/shots")).resolve("a.png");
    Files.writeString(file, "png");

    assertThat(resolve("shots/../shots/a.png")).containsExactly(file.toRealPath());
  }

  @Test
  void shouldFollowALinkInsideTheWorkspaceOnly() throws Exception {
    Path workspace = Files.createDirectories(folder.resolve("workspace"));
    Files.writeString(workspace.resolve("a.png"), "png");
    Files.createSymbolicLink(workspace.resolve("inside.png"), Path.of("a.png"));
    Path secret = Files.writeString(folder.resolve("secret.png"), "secret");
    Files.createSymbolicLink(workspace.resolve("outside.png"), secret);

    assertThat(resolve("inside.png")).containsExactly(workspace.resolve("a.png").toRealPath());
    assertThatThrownBy(() -> resolve("outside.png"))
        .isInstanceOf(IOException.class)
        .hasMessage("image 'outside.png' is a link out of the workspace");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "../secret.png | image '../secret.png' is not in the workspace",
        "/etc/hostname | image '/etc/hostname' is not in the workspace",
        "missing.png | image 'missing.png' does not exist in the workspace",
      })
  void shouldNameWhatIsWrong(String image, String message) {
    assertThatThrownBy(() -> resolve(image)).isInstanceOf(IOException.class).hasMessage(message);
  }
}
