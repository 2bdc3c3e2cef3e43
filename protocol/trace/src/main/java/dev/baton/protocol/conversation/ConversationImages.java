/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.conversation;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import dev.baton.protocol.digest.Digest;
import dev.baton.protocol.json.Json;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * Replaces the images of messages by digests: a source {@code {"type": "base64", "media_type": …,
 * "data": …}} of the Messages form, and URLs {@code data:TYPE;base64,…} of the other two.
 */
final class ConversationImages {
  private static final String BASE64 = ";base64,";

  private ConversationImages() {}

  /**
   * An image.
   *
   * @param data in Base64
   */
  record Image(String digest, String mediaType, String data) {
    static Image of(String mediaType, String data) {
      return new Image(Digest.of(data.getBytes(StandardCharsets.ISO_8859_1)), mediaType, data);
    }

    ObjectNode json() {
      return Json.mapper()
          .createObjectNode()
          .put("digest", digest)
          .put("media_type", mediaType)
          .put("data", data);
    }
  }

  /** Replaces the images in a value by their digests, in place, and returns them. */
  static List<Image> takeOut(JsonNode value) {
    List<Image> images = new ArrayList<>();
    takeOut(value, images);
    return images;
  }

  private static void takeOut(JsonNode value, List<Image> images) {
    if (value instanceof ObjectNode object) {
      if (object.path("type").asText().equals("base64") && object.path("data").isTextual()) {
        Image image = Image.of(object.path("media_type").asText(), object.path("data").textValue());
        object.put("data", image.digest());
        images.add(image);
        return;
      }
      for (var field : object.properties()) {
        String text = field.getValue().isTextual() ? field.getValue().textValue() : "";
        int at = text.startsWith("data:image/") ? text.indexOf(BASE64) : -1;
        if (at > 0) {
          Image image =
              Image.of(text.substring("data:".length(), at), text.substring(at + BASE64.length()));
          field.setValue(TextNode.valueOf(image.digest()));
          images.add(image);
        }
      }
    }
    value.forEach(child -> takeOut(child, images));
  }
}
