/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.standalone;

/**
 * How one uses the object store.
 *
 * @param endpoint its address
 * @param accessKey the key
 * @param secretKey the key's secret
 * @param bucket the bucket Baton uses; made by the checkpoint-store
 * @param region what to name where a client insists on a region
 */
public record S3Access(
    String endpoint, String accessKey, String secretKey, String bucket, String region) {

  @Override
  public String toString() {
    return "S3Access[" + accessKey + "@" + endpoint + "/" + bucket + "]";
  }
}
