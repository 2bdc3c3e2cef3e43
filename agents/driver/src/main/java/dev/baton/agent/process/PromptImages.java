/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.agent.process;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Locale;

/** Reads the images of a prompt. */
public final class PromptImages {
  private static final long MOST_BYTES = 20L << 20;

  private PromptImages() {}

  /** An image, ready for a message. */
  public record PromptImage(String mediaType, String base64) {
    /** Returns it as a URL of the scheme {@code data}. */
    public String dataUrl() {
      return "data:" + mediaType + ";base64," + base64;
    }
  }

  /**
   * @throws IOException when one is missing, larger than 20 MiB, or of an unknown kind; names it
   */
  public static List<PromptImage> read(List<Path> files) throws IOException {
    List<PromptImage> images = new ArrayList<>();
    for (Path file : files) {
      if (!Files.isRegularFile(file)) {
        throw new IOException("image '" + file + "' does not exist");
      }
      if (Files.size(file) > MOST_BYTES) {
        throw new IOException("image '" + file + "' is larger than 20 MiB");
      }
      images.add(
          new PromptImage(
              mediaType(file), Base64.getEncoder().encodeToString(Files.readAllBytes(file))));
    }
    return images;
  }

  private static String mediaType(Path file) throws IOException {
    String name = file.toString().toLowerCase(Locale.ROOT);
    if (name.endsWith(".png")) {
      return "image/png";
    }
    if (name.endsWith(".jpg") || name.endsWith(".jpeg")) {
      return "image/jpeg";
    }
    if (name.endsWith(".gif")) {
      return "image/gif";
    }
    if (name.endsWith(".webp")) {
      return "image/webp";
    }
    throw new IOException("image '" + file + "' is neither PNG, JPEG, GIF nor WebP");
  }
}
