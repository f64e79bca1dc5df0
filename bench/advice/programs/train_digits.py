# bench/advice/programs/train_digits.py - trains a small network on pictures that are prepared while it waits.
#
# SPDX-License-Identifier: Apache-2.0
# advice: loader_starved
# also: waiting
# needs: torch
import torch
from torch.utils.data import DataLoader, Dataset

PICTURES = 4_000


class Pictures(Dataset):
    def __len__(self):
        return PICTURES

    def __getitem__(self, index):
        picture = torch.full((28, 28), float(index % 10))
        for _ in range(40):
            picture = picture.roll(1, 0) * 0.5 + picture * 0.5
        return picture.flatten(), index % 10


def main():
    device = "cuda" if torch.cuda.is_available() else "cpu"
    model = torch.nn.Sequential(torch.nn.Linear(784, 128), torch.nn.ReLU(), torch.nn.Linear(128, 10)).to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    loader = DataLoader(Pictures(), batch_size=64, num_workers=0)  # <- here
    for pictures, labels in loader:  # <- here
        optimizer.zero_grad()
        loss = torch.nn.functional.cross_entropy(model(pictures.to(device)), labels.to(device))
        loss.backward()
        optimizer.step()
    print(float(loss) >= 0)


if __name__ == "__main__":
    main()
